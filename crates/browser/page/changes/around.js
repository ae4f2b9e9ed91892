// What else shows it when an element changes.

import { flatParentOf, queryAll, textContentOf } from "../dom/dom.js";
import { knownNumberOf } from "../dom/numbers.js";
import { runOwnerOf } from "../text/owners.js";

/** How far up is looked. */
export const LEVELS = 8;
/** How far up what a look has told of is looked for. */
const LEVELS_TOLD = 64;
/** What shows the text of an element: those around it with no more text than this. */
const AROUND = 200;
/** So many of those in an element. */
const INSIDE = 5000;

/** Whether elements have too much text, once it was looked. @typedef {Map<Element, boolean>} Long */

/** An element and those that show its text as theirs, the innermost first; none where it has too much. @param {Element} el @param {Long} [long] what is known of it @returns {Element[]} */
export function shownAround(el, long) {
  /** @type {Element[]} */
  const all = [];
  for (let up = /** @type {Element | null} */ (el), i = 0; up && i < LEVELS && !isLong(up, long); i++, up = flatParentOf(up)) all.push(up);
  return all;
}

/** @param {Element} el @param {Long} [long] */
function isLong(el, long) {
  const known = long?.get(el);
  if (known !== undefined) return known;
  const is = textContentOf(el).length > AROUND;
  long?.set(el, is);
  return is;
}

/**
 * The elements that a look may have told an element's text of: those around it, however much they say, and that whose line it
 * stands in. They are the innermost first.
 * @param {Element} el @param {Long} [long] what is known of how much they say @returns {Element[]}
 */
export function toldAround(el, long) {
  const all = new Set(shownAround(el, long));
  for (let up = /** @type {Element | null} */ (el), i = 0; up && i < LEVELS_TOLD; i++, up = flatParentOf(up)) {
    const owner = runOwnerOf(up);
    if (owner) all.add(owner);
    if (knownNumberOf(up)) all.add(up);
  }
  return [...all];
}

/** An element and what is in it that a look has told of. @param {Element} el */
export const withInside = (el) => [el, ...queryAll(el, "*").filter(knownNumberOf).slice(0, INSIDE)];
