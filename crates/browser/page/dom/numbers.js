// Numbers for elements. A number belongs to one element for the life of this script and
// is never given again; the element may be collected, then its number answers nothing.

import { isConnected } from "./dom.js";

/** The number of an element, kept on our world's own wrapper of it: the page sees nothing of that. */
const NUMBER = Symbol("number");
/**
 * Elements by number. One that was in the page at the last look is held as it is, for a WeakRef for each of thousands costs
 * more than all else that a look does for them; one that was not, by a WeakRef.
 * @type {(Element | WeakRef<Element> | undefined)[]}
 */
const elements = [undefined];

/** The number of an element, minted on first asking. @param {Element} el @returns {number} */
export function numberOf(el) {
  const known = /** @type {any} */ (el)[NUMBER];
  if (known) return known;
  const n = elements.push(el) - 1;
  /** @type {any} */ (el)[NUMBER] = n;
  return n;
}

/** The number of an element that has one. @param {Element} el @returns {number | undefined} */
export const knownNumberOf = (el) => /** @type {any} */ (el)[NUMBER];

/** The element of a number, connected or not; null when collected or never given. @param {number | null | undefined} n @returns {Element | null} */
export function elementOf(n) {
  const held = n ? elements[n] : undefined;
  if (!(held instanceof WeakRef)) return held ?? null;
  const el = held.deref();
  if (!el) elements[/** @type {number} */ (n)] = undefined;
  return el ?? null;
}

/** Lets go of what has left the page. */
export function releaseGone() {
  for (let n = 1; n < elements.length; n++) {
    const held = elements[n];
    if (held && !(held instanceof WeakRef) && !isConnected(held)) elements[n] = new WeakRef(held);
  }
}
