// What an event of the pointer is about, what is carried under it, and where that may be dropped.

import { bodyOf, documentElementOf, flatHolds, flatParentOf, isConnected, nodeTypeOf, shadowOf, tagOf, textContentOf } from "../dom/dom.js";
import { deepestAt, innerAt } from "../dom/hit.js";
import { elementOf } from "../dom/numbers.js";
import { normalize } from "../text/matching.js";

/** The deepest element an event is about. At window the path ends at a closed root's host, so its own tree is asked. @param {Event} event @returns {Element | null} */
export function hitOf(event) {
  let hit = /** @type {Element | null} */ (event.composedPath()[0] ?? null);
  if (!hit || nodeTypeOf(/** @type {Node} */ (hit)) !== 1) return hit && nodeTypeOf(/** @type {Node} */ (hit)) === 3 ? flatParentOf(/** @type {Node} */ (hit)) : null;
  if (!(event instanceof MouseEvent)) return hit;
  while (shadowOf(hit)) {
    const inner = innerAt(hit, event.clientX, event.clientY);
    if (!inner) break;
    hit = inner;
  }
  return hit;
}

/** What an event passes through last: from what it hits up to the target, or to a label. @param {Element | null} hit @param {Element | null} target */
export function wayOf(hit, target) {
  const way = [];
  for (let el = hit; el; el = flatParentOf(el)) {
    way.push(el);
    if (el === target || tagOf(el) === "label") break;
  }
  return way;
}

/** Whether an element is what is dragged, or a copy of it under the pointer. @param {Element} hit @param {Element} source */
function isCarried(hit, source) {
  const said = normalize(textContentOf(source));
  for (let at = /** @type {Element | null} */ (hit); at; at = flatParentOf(at)) {
    if (at === source) return true;
    if (said && tagOf(at) === tagOf(source) && normalize(textContentOf(at)) === said) return true;
  }
  return false;
}

/**
 * Why a drag must not end in this event. What is dragged may lie under the pointer, itself or as a copy; and a list that
 * makes room for it has nothing but itself there.
 * @param {Event} event @param {import("./guard.js").End} end @param {Element | null} source
 * @param {(el: Element, held: import("./guard.js").Held | null) => boolean} hasChanged @returns {import("./guard.js").Fault | null}
 */
export function dropFault(event, end, source, hasChanged) {
  // The button is let go in the document where it went down, wherever the pointer is.
  if (!end.target) return event.type === "drop" ? "miss" : null;
  const target = elementOf(end.target);
  if (!target || !isConnected(target)) return "detached";
  if (hasChanged(target, end.held ?? null)) return "relabelled";
  if (flatHolds(target, hitOf(event))) return null;
  const { clientX, clientY } = /** @type {MouseEvent} */ (event);
  const hit = deepestAt(clientX, clientY);
  if (!hit) return "miss";
  if (flatHolds(target, hit)) return null;
  if (!source) return "miss";
  const list = flatHolds(hit, target) && flatHolds(hit, source) && hit !== bodyOf(document) && hit !== documentElementOf(document);
  return list || isCarried(hit, source) ? null : "miss";
}

/** Stops an event everywhere. @param {Event} event */
export function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
