// Numbers for elements. A number belongs to one element for the life of this script and
// is never given again; the element may be collected, then its number answers nothing.

/** @type {WeakMap<Element, number>} */
const numbered = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const elements = new Map();
let lastNumber = 0;
const forget = new FinalizationRegistry((/** @type {number} */ n) => elements.delete(n));

/** The number of an element, minted on first asking. @param {Element} el @returns {number} */
export function numberOf(el) {
  const known = numbered.get(el);
  if (known) return known;
  const n = ++lastNumber;
  numbered.set(el, n);
  elements.set(n, new WeakRef(el));
  forget.register(el, n);
  return n;
}

/** The element of a number, connected or not; null when collected or never given. @param {number | null | undefined} n @returns {Element | null} */
export function elementOf(n) {
  return (n && elements.get(n)?.deref()) || null;
}
