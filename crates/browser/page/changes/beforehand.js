// What changed by itself between the look that a gesture is compared with and the gesture: no difference that it makes between the
// looks is an effect of the gesture. And what the pointer's coming and going changed since that look, which is none of a press.

import { flatHolds, flatParentOf, isConnected, isElement, queryAll } from "../dom/dom.js";
import { elementOf, knownNumberOf } from "../dom/numbers.js";
import { runOwnerOf } from "../text/owners.js";
import { toldAround, withInside } from "./around.js";
import { beginControls, forgetControls, heldBy, holdControls, isControl } from "./controls.js";
import { wholePressed } from "./pressed.js";

/** So many elements are remembered. */
const MOST_BEFOREHAND = 5000;
/** After so many more it is looked which of them have left the page: each would be held with all that was around it. */
const PRUNED_AFTER = 500;
/**
 * all: elements, and whether all in them came; came: what wasn't there before; gone: numbers of what left the page; pruned: how many
 * there were when that was last looked at; refused: for how many there was no room.
 * @typedef {{all: Map<Element, boolean>, came: WeakSet<Element>, gone: Set<number>, pruned: number, refused: number}} Noted
 */
/** @returns {Noted} */
const noneNoted = () => ({ all: new Map(), came: new WeakSet(), gone: new Set(), pruned: 0, refused: 0 });

/** Elements that changed by themselves since the look, or since the gesture began. */
let sinceLook = noneNoted();
/** Those that did before the gesture began. */
let beforehand = noneNoted();
/** Those that changed in events of the pointer's coming and going, or of what else comes before a press, since the look. */
let withPointer = noneNoted();
/** What changed since it began, with what is around that. @type {WeakSet<Element>} */
let touchedSince = new WeakSet();
/** What those of them that are controls held then: no record tells when a script puts something else in. @type {WeakMap<Element, string>} */
let heldThen = new WeakMap();

/** A gesture is going to be compared with the look that is taken now. */
export function compareWithNow() {
  sinceLook = noneNoted();
  beforehand = noneNoted();
  withPointer = noneNoted();
  holdControls();
}

/** What changed by itself until now did so before the gesture. */
export function endBeforehand() {
  for (const [el, isNew] of sinceLook.all) noteIn(beforehand, el, isNew);
  for (const number of sinceLook.gone) noteGone(beforehand, number);
  sinceLook = noneNoted();
  beginControls();
  touchedSince = new WeakSet();
  heldThen = new WeakMap();
  for (const [el, isNew] of beforehand.all) for (const one of isNew ? [el, ...queryAll(el, "input, select, textarea")] : [el]) if (isControl(one)) heldThen.set(one, heldBy(one));
}

/** What came of the gesture has been looked at. */
export function forgetBeforehand() {
  sinceLook = noneNoted();
  beforehand = noneNoted();
  withPointer = noneNoted();
  forgetControls();
}

/** Notes a change of an element that came of nothing that was done in this turn. @param {MutationRecord} one @param {Element} el */
export const noteUnprompted = (one, el) => noteChange(sinceLook, one, el);

/** Notes a change of an element that came before a press. An attribute may show what is in it, or hide it. @param {MutationRecord} one @param {Element} el */
export function noteWithPointer(one, el) {
  noteChange(withPointer, one, el);
  if (one.type === "attributes") noteIn(withPointer, el, true);
}

/** @param {Noted} noted @param {MutationRecord} one @param {Element} el */
function noteChange(noted, one, el) {
  noteIn(noted, el, false);
  for (const node of one.removedNodes) {
    if (!isElement(node)) continue;
    for (const inner of withInside(node)) noteGone(noted, knownNumberOf(inner));
    // What has come and gone shows in neither look.
    if (noted.came.has(node)) noted.all.delete(node);
  }
  for (const node of one.addedNodes) {
    if (!isElement(node)) continue;
    if (!noted.all.has(node)) noted.came.add(node);
    noteIn(noted, node, true);
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

/**
 * Numbers of what the pointer's coming and going changed, and nothing that came of the press, with what shows it. What is around the
 * pressed was there before: the rest of what is in it isn't counted.
 * @returns {number[]}
 */
export function numbersWithPointer() {
  const whole = wholePressed();
  /** @type {Set<Element>} */
  const all = new Set();
  for (const [el, isWhole] of withPointer.all) {
    const isAll = isWhole && !(whole && flatHolds(el, whole));
    for (const one of [...(isAll ? withInside(el) : [el]), ...toldAround(el)]) if (!touchedSince.has(one)) all.add(one);
  }
  return [...[...all].flatMap((el) => knownNumberOf(el) ?? []), ...goneFor(withPointer)];
}

/** Numbers of what left the page before the gesture, and isn't back. */
export const unpromptedGone = () => goneFor(beforehand);

/** @param {Noted} noted @returns {number[]} */
function goneFor({ gone }) {
  const isBack = (/** @type {number} */ number) => {
    const el = elementOf(number);
    return el !== null && isConnected(el);
  };
  return [...gone].filter((number) => !isBack(number));
}

/** @param {Noted} noted @param {Element} el @param {boolean} isWhole */
function noteIn(noted, el, isWhole) {
  const { all } = noted;
  if (!all.has(el)) {
    // Where there is no more room, now and then.
    const isFull = all.size >= MOST_BEFOREHAND && noted.refused++ % PRUNED_AFTER === 0;
    if (isFull || all.size >= noted.pruned + PRUNED_AFTER) prune(noted);
  }
  if (all.has(el) || all.size < MOST_BEFOREHAND) all.set(el, isWhole || all.get(el) === true);
}

/** @param {Noted} noted @param {number | undefined} number */
function noteGone({ gone }, number) {
  if (number && gone.size < MOST_BEFOREHAND) gone.add(number);
}

/** Lets go of what has left the page. @param {Noted} noted */
function prune(noted) {
  for (const el of noted.all.keys()) {
    if (isConnected(el)) continue;
    noted.all.delete(el);
    noteGone(noted, knownNumberOf(el));
  }
  noted.pruned = noted.all.size;
}
