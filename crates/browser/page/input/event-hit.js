// What an event of the pointer is about, and what is carried under it.

import { flatParentOf, nodeTypeOf, shadowOf, tagOf, textContentOf } from "../dom/dom.js";
import { innerAt } from "../dom/hit.js";
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

/** Whether an element is what is dragged, or a copy of it under the pointer. @param {Element} hit @param {Element} source */
export function isCarried(hit, source) {
  const said = normalize(textContentOf(source));
  for (let at = /** @type {Element | null} */ (hit); at; at = flatParentOf(at)) {
    if (at === source) return true;
    if (said && tagOf(at) === tagOf(source) && normalize(textContentOf(at)) === said) return true;
  }
  return false;
}
