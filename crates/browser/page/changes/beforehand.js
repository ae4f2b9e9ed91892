// What changed by itself between the look that a gesture is compared with and the gesture: no difference that it makes between the
// looks is an effect of the gesture.

import { flatParentOf, isElement } from "../dom/dom.js";
import { shownAround, withInside } from "./around.js";

/** So many elements are remembered. */
const MOST_BEFOREHAND = 500;

/** Elements that changed by themselves since the look, or since the gesture began; whether all in them came or went with it. @type {Map<Element, boolean>} */
let sinceLook = new Map();
/** Those that did before the gesture began. @type {Map<Element, boolean>} */
let beforehand = new Map();
/** What changed since it began, with what is around that. @type {Set<Element>} */
let touchedSince = new Set();

/** A gesture is going to be compared with the look that is taken now. */
export function compareWithNow() {
  sinceLook = new Map();
  beforehand = new Map();
}

/** What changed by itself until now did so before the gesture. */
export function endBeforehand() {
  for (const [el, isNew] of sinceLook) noteIn(beforehand, el, isNew);
  sinceLook = new Map();
  touchedSince = new Set();
}

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
  return [...all].filter((el) => !touchedSince.has(el));
}

/** @param {Map<Element, boolean>} all @param {Element} el @param {boolean} isNew */
function noteIn(all, el, isNew) {
  if (all.size < MOST_BEFOREHAND || all.has(el)) all.set(el, isNew || all.get(el) === true);
}
