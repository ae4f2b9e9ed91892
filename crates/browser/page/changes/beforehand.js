// What changed by itself between the look that a gesture is compared with and the gesture: no difference that it makes between the
// looks is an effect of the gesture.

import { flatParentOf, isElement, tagOf } from "../dom/dom.js";
import { shownAround, withInside } from "./around.js";

/** So many elements are remembered. */
const MOST_BEFOREHAND = 500;

/** Elements that changed by themselves since the look, or since the gesture began; whether all in them came or went with it. @type {Map<Element, boolean>} */
let sinceLook = new Map();
/** Those that did before the gesture began. @type {Map<Element, boolean>} */
let beforehand = new Map();
/** What changed since it began, with what is around that. @type {WeakSet<Element>} */
let touchedSince = new WeakSet();
/** What those of them that are controls held then: no record tells when a script puts something else in. @type {WeakMap<Element, string>} */
let heldThen = new WeakMap();

/** A gesture is going to be compared with the look that is taken now. */
export function compareWithNow() {
  sinceLook = new Map();
  beforehand = new Map();
}

/** What changed by itself until now did so before the gesture. */
export function endBeforehand() {
  for (const [el, isNew] of sinceLook) noteIn(beforehand, el, isNew);
  sinceLook = new Map();
  touchedSince = new WeakSet();
  heldThen = new WeakMap();
  for (const [el, isNew] of beforehand) for (const one of isNew ? withInside(el) : [el]) if (isControl(one)) heldThen.set(one, heldBy(one));
}

/** What came of the gesture has been looked at. */
export function forgetBeforehand() {
  sinceLook = new Map();
  beforehand = new Map();
}

/** @param {Element} el @returns {el is HTMLInputElement} */
const isControl = (el) => /^(input|select|textarea)$/.test(tagOf(el));
/** @param {HTMLInputElement} el */
const heldBy = (el) => `${el.checked} ${el.indeterminate} ${el.value}`;

/** Notes a change of an element that came of nothing that was done in this turn. @param {MutationRecord} one @param {Element} el */
export function noteUnprompted(one, el) {
  noteIn(sinceLook, el, false);
  for (const node of [...one.addedNodes, ...one.removedNodes]) if (isElement(node)) noteIn(sinceLook, node, true);
}

/** Notes that an element changed while a gesture was under way. @param {Element} el */
export function noteTouched(el) {
  for (let up = /** @type {Element | null} */ (el); up && !touchedSince.has(up); up = flatParentOf(up)) touchedSince.add(up);
}

/** Elements that changed before the gesture and not since, with what shows it. @returns {Element[]} */
export function unpromptedOnes() {
  /** @type {Set<Element>} */
  const all = new Set();
  for (const [el, isNew] of beforehand) {
    for (const one of [...(isNew ? withInside(el) : [el]), ...shownAround(el)]) all.add(one);
  }
  const isAnother = (/** @type {Element} */ el) => isControl(el) && heldThen.has(el) && heldThen.get(el) !== heldBy(el);
  return [...all].filter((el) => !touchedSince.has(el) && !isAnother(el));
}

/** @param {Map<Element, boolean>} all @param {Element} el @param {boolean} isNew */
function noteIn(all, el, isNew) {
  if (all.size < MOST_BEFOREHAND || all.has(el)) all.set(el, isNew || all.get(el) === true);
}
