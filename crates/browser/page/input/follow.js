// Keys may go where they themselves move the focus: to the element that had it at first, or to where a key has moved it since.

import { activeOf, afterTurn } from "../dom/dom.js";
import { keyboardFault } from "./keys.js";

/** Where the next key must go, and the turn of the page that the last one is dealt with in; 0 when that is over. @type {{anchor: Element | null, turn: number, turns: number}} */
const followed = { anchor: null, turn: 0, turns: 0 };

/** Keys begin, or end. @param {Element | null} anchor where the first one must go */
export function follow(anchor) {
  [followed.anchor, followed.turn] = [anchor, 0];
}

/** Where a key goes; "miss" where it must not, null for what is a key's own work. @param {Event} event @param {Element} target @returns {Element | "miss" | null} */
export function keyGoes(event, target) {
  // What comes up, and what Enter and Space bring about, is the key's own work; text may also come without a key.
  if (event.type === "keyup" || event.type === "click" || event.type === "submit" || (event.type !== "keydown" && followed.turn)) return null;
  const anchor = (followed.turn ? activeOf() : followed.anchor) ?? target;
  if (keyboardFault(event, anchor)) return "miss";
  startKey();
  return anchor;
}

/** From here until the page's own turn for the key is over, the focus moves by the key. */
function startKey() {
  const turn = (followed.turn = ++followed.turns);
  afterTurn(() => {
    if (followed.turn === turn) follow(activeOf());
  });
}
