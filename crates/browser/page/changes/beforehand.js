// What changed by itself between the look that a gesture is compared with and the gesture: no difference that it makes between the
// looks is an effect of the gesture.

import { flatParentOf, isElement, queryAll, tagOf } from "../dom/dom.js";
import { runOwnerOf } from "../text/owners.js";
import { toldAround, withInside } from "./around.js";

/** So many elements are remembered. */
const MOST_BEFOREHAND = 5000;
/** So many of those that came or went whole: what has left the page is held with all that is in it. */
const MOST_WHOLE_BEFOREHAND = 500;
/**
 * all: elements, and whether all in them came or went; whole: how many did; came: what wasn't there before.
 * @typedef {{all: Map<Element, boolean>, whole: number, came: WeakSet<Element>}} Noted
 */
/** @returns {Noted} */
const noneNoted = () => ({ all: new Map(), whole: 0, came: new WeakSet() });

/** Elements that changed by themselves since the look, or since the gesture began. */
let sinceLook = noneNoted();
/** Those that did before the gesture began. */
let beforehand = noneNoted();
/** What changed since it began, with what is around that. @type {WeakSet<Element>} */
let touchedSince = new WeakSet();
/** What those of them that are controls held then: no record tells when a script puts something else in. @type {WeakMap<Element, string>} */
let heldThen = new WeakMap();

/** A gesture is going to be compared with the look that is taken now. */
export function compareWithNow() {
  sinceLook = noneNoted();
  beforehand = noneNoted();
}

/** What changed by itself until now did so before the gesture. */
export function endBeforehand() {
  for (const [el, isNew] of sinceLook.all) noteIn(beforehand, el, isNew);
  sinceLook = noneNoted();
  touchedSince = new WeakSet();
  heldThen = new WeakMap();
  for (const [el, isNew] of beforehand.all) for (const one of isNew ? [el, ...queryAll(el, HELD_CONTROLS)] : [el]) if (isControl(one)) heldThen.set(one, heldBy(one));
}

/** What came of the gesture has been looked at. */
export function forgetBeforehand() {
  sinceLook = noneNoted();
  beforehand = noneNoted();
}

const HELD_CONTROLS = "input, select, textarea";
/** @param {Element} el @returns {el is HTMLInputElement} */
const isControl = (el) => /^(input|select|textarea)$/.test(tagOf(el));
/** @param {HTMLInputElement} el */
const heldBy = (el) => `${el.checked} ${el.indeterminate} ${el.value}`;

/** Notes a change of an element that came of nothing that was done in this turn. @param {MutationRecord} one @param {Element} el */
export function noteUnprompted(one, el) {
  noteIn(sinceLook, el, false);
  for (const node of one.removedNodes) {
    // What has come and gone shows in neither look.
    if (!isElement(node)) continue;
    if (sinceLook.came.has(node)) forgetIn(sinceLook, node);
    else noteIn(sinceLook, node, true);
  }
  for (const node of one.addedNodes) {
    if (!isElement(node)) continue;
    if (!sinceLook.all.has(node)) sinceLook.came.add(node);
    noteIn(sinceLook, node, true);
  }
}

/** Notes that an element changed while a gesture was under way. @param {Element} el */
export function noteTouched(el) {
  for (let up = /** @type {Element | null} */ (el); up && !touchedSince.has(up); up = flatParentOf(up)) {
    touchedSince.add(up);
    const owner = runOwnerOf(up);
    if (owner) touchedSince.add(owner);
  }
}

/** Elements that changed before the gesture and not since, with what shows it. @returns {Element[]} */
export function unpromptedOnes() {
  /** @type {Set<Element>} */
  const all = new Set();
  for (const [el, isNew] of beforehand.all) {
    for (const one of [...(isNew ? withInside(el) : [el]), ...toldAround(el)]) all.add(one);
  }
  const isAnother = (/** @type {Element} */ el) => isControl(el) && heldThen.has(el) && heldThen.get(el) !== heldBy(el);
  return [...all].filter((el) => !touchedSince.has(el) && !isAnother(el));
}

/** @param {Noted} noted @param {Element} el @param {boolean} isWhole */
function noteIn(noted, el, isWhole) {
  const { all } = noted;
  const isRoom = all.has(el) || (all.size < MOST_BEFOREHAND && (!isWhole || noted.whole < MOST_WHOLE_BEFOREHAND));
  if (!isRoom) return;
  if (isWhole && !all.get(el)) noted.whole += 1;
  all.set(el, isWhole || all.get(el) === true);
}

/** @param {Noted} noted @param {Element} el */
function forgetIn(noted, el) {
  if (noted.all.get(el)) noted.whole -= 1;
  noted.all.delete(el);
}
