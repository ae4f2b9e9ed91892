// What changed by itself between the look that a gesture is compared with and the gesture: no difference that it makes between the
// looks is an effect of the gesture. And what the pointer's coming and going changed since that look, which is none of a press.

import { attr, flatHolds, flatParentOf, isConnected, isElement, nodeTypeOf, queryAll, textContentOf } from "../dom/dom.js";
import { elementOf, knownNumberOf } from "../dom/numbers.js";
import { runOwnerOf } from "../text/owners.js";
import { toldAround, withInside } from "./around.js";
import { beginControls, forgetControls, heldBy, holdControls, isControl, isSetSince, setInLeaving } from "./controls.js";
import { pressedNow, wholePressed } from "./pressed.js";
import { saysMore } from "./ripple.js";

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
/** What changed since it began, with what is around that and may say so. @type {WeakSet<Element>} */
let touchedSince = new WeakSet();
/** What was put in since, or is shown another way: it shows what is in it. @type {WeakSet<Element>} */
let broughtSince = new WeakSet();
/** Those of which all that is around them is among what changed. @type {WeakSet<Element>} */
let climbed = new WeakSet();
/** Whether elements hold what was pressed, or are in it, once it was looked. @type {WeakMap<Element, boolean>} */
let atPressed = new WeakMap();
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
  broughtSince = new WeakSet();
  climbed = new WeakSet();
  atPressed = new WeakMap();
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

/** Notes a change of an element that came of a gesture. @param {MutationRecord} one @param {Element} el */
export function noteTouched(one, el) {
  if (isIdle(one)) return;
  for (const node of one.addedNodes) if (isElement(node)) noteBrought(node);
  // What the pointer has made is faded in.
  if (one.type === "attributes" && !(isLook(one) && withPointer.came.has(el))) noteBrought(el);
  if (isTextless(one, el)) return void touchedSince.add(el);
  for (let up = /** @type {Element | null} */ (el); up && !climbed.has(up); up = flatParentOf(up)) {
    climbed.add(up);
    touchedSince.add(up);
    const owner = runOwnerOf(up);
    if (owner) touchedSince.add(owner);
  }
}

/** Notes that an element was put in by a gesture, or is shown another way. @param {Element} el */
export const noteBrought = (el) => void broughtSince.add(el);

/** Whether what was set is what was there: a tooltip is written as it is pointed to, and again as its button has the focus. @param {MutationRecord} one */
function isIdle({ type, target, attributeName, attributeNamespace, oldValue, addedNodes, removedNodes }) {
  if (type === "attributes") return attributeName !== null && attributeNamespace === null && attr(/** @type {Element} */ (target), attributeName) === oldValue;
  if (type === "characterData") return textContentOf(target) === oldValue;
  const textIn = (/** @type {NodeList} */ nodes) => ([...nodes].every((node) => nodeTypeOf(node) === Node.TEXT_NODE) ? [...nodes].map(textContentOf).join("") : null);
  const text = textIn(addedNodes);
  return text !== null && text === textIn(removedNodes);
}

/** What says no more of an element than how it looks. */
const LOOK = /^(class|style|data-.*)$/;

/** @param {MutationRecord} one */
const isLook = (one) => one.type === "attributes" && LOOK.test(one.attributeName ?? "");

/** Whether a change says nothing of the text of what is around: what draws a shape, or shades what was pressed, what is in it or around it. @param {MutationRecord} one @param {Element} el */
function isTextless(one, el) {
  if (one.type === "childList") return ![...one.addedNodes, ...one.removedNodes].some((node) => textContentOf(node).trim() !== "" || saysMore(node));
  return isLook(one) && isAtPressed(el);
}

/** @param {Element} el */
function isAtPressed(el) {
  const known = atPressed.get(el);
  if (known !== undefined) return known;
  const pressed = pressedOnes();
  const is = pressed.some((one) => flatHolds(el, one) || flatHolds(one, el));
  if (pressed.length > 0) atPressed.set(el, is);
  return is;
}

/** What was pressed, and what that is part of. */
const pressedOnes = () => [wholePressed(), pressedNow()].filter((el) => el !== null);

/**
 * What tells of an element whether it changed since the gesture began, or is in what came since: but for what is around the pressed,
 * which was there.
 * @returns {(el: Element) => boolean}
 */
export function touchedNow() {
  /** @type {Set<Element>} */
  const around = new Set();
  for (const pressed of pressedOnes()) for (let up = /** @type {Element | null} */ (pressed); up; up = flatParentOf(up)) around.add(up);
  return (el) => {
    if (touchedSince.has(el) || isSetSince(el)) return true;
    for (let up = /** @type {Element | null} */ (el); up && !around.has(up); up = flatParentOf(up)) if (broughtSince.has(up)) return true;
    return false;
  };
}

/** Elements that changed before the gesture and not since, with what shows it. @returns {Element[]} */
export function unpromptedOnes() {
  /** @type {Set<Element>} */
  const all = new Set();
  const long = new Map();
  for (const [el, isNew] of beforehand.all) {
    for (const one of [...(isNew ? withInside(el) : [el]), ...toldAround(el, long)]) all.add(one);
  }
  const isAnother = (/** @type {Element} */ el) => isControl(el) && heldThen.has(el) && heldThen.get(el) !== heldBy(el);
  return [...all].filter((el) => !touchedSince.has(el) && !isAnother(el));
}

/**
 * Numbers of what the pointer's coming and going changed, and nothing that came of the press, with what shows it; and of what was set
 * as the focus left. What is around the pressed was there before: the rest of what is in it isn't counted.
 * @returns {number[]}
 */
export function numbersWithPointer() {
  const pressed = pressedOnes();
  const long = new Map();
  /** @type {Set<Element>} */
  const all = new Set();
  for (const el of withPointer.all.keys()) for (const one of [el, ...toldAround(el, long)]) all.add(one);
  const most = all.size + MOST_BEFOREHAND;
  for (const [el, isWhole] of withPointer.all) {
    if (all.size >= most) break;
    if (isWhole && !pressed.some((one) => flatHolds(el, one))) for (const one of withInside(el)) all.add(one);
  }
  const isTouched = touchedNow();
  const alone = [...[...all].filter((el) => !isTouched(el)), ...setInLeaving()];
  return [...alone.flatMap((el) => knownNumberOf(el) ?? []), ...goneFor(withPointer)];
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
