// Whether the page began timers in the events of a gesture: what it does by them is still to come. A window's timers are
// numbered one after the other, ours among them: what lies between two of ours is the page's.

import { afterTurn } from "../dom/dom.js";

/** Timers that the page began in the events of the gesture. */
let begun = 0;
/** Timers of ours since the count began; null: none is under way. @type {number | null} */
let own = null;

/** A gesture begins. */
export const forgetTimers = () => void (begun = 0);

/** Whether something is still to come by timers that were begun in its events. */
export const hasTimers = () => begun > 0;

/** Counts the timers that are begun in this turn of the page. */
export function countTimers() {
  if (own !== null) return;
  own = 0;
  const first = nextNumber();
  afterTurn(() => {
    begun += Math.max(nextNumber() - first - 1 - (own ?? 0), 0);
    own = null;
  });
}

function nextNumber() {
  const number = setTimeout(() => {}, 0);
  clearTimeout(number);
  return number;
}

/** A timer of ours that may be begun while the page's are counted. @param {() => void} what @param {number} ms */
export function ownTimer(what, ms) {
  if (own !== null) own += 1;
  return setTimeout(what, ms);
}
