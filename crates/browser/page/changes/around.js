// What else shows it when an element changes.

import { flatParentOf, queryAll, textContentOf } from "../dom/dom.js";

/** How far up is looked. */
export const LEVELS = 8;
/** What shows the text of an element: those around it with no more text than this. */
const AROUND = 200;
const INSIDE = 40;

/** An element and those that show its text as theirs, the innermost first; none where it has too much. @param {Element} el @returns {Element[]} */
export function shownAround(el) {
  /** @type {Element[]} */
  const all = [];
  for (let up = /** @type {Element | null} */ (el), i = 0; up && i < LEVELS && textContentOf(up).length <= AROUND; i++, up = flatParentOf(up)) all.push(up);
  return all;
}

/** An element and what is in it. @param {Element} el */
export const withInside = (el) => [el, ...queryAll(el, "*").slice(0, INSIDE)];
