// What controls hold that nobody but a script sets: it tells nobody of that, neither by a mutation nor by an event. Controls are
// looked at when the gesture begins, before each of its events and right after the turn of each. What changed in such turns alone
// is an effect; what changed before the gesture alone is none; of all else it is watched whether it goes on changing.

import { afterTurn, controlOf, flatParentOf, queryAll, tagOf } from "../dom/dom.js";
import { knownNumberOf } from "../dom/numbers.js";
import { ownTimer } from "./pending.js";

/** So many controls are looked at, and in so many turns: many keys are typed in one gesture. */
const MOST_CONTROLS = 1000;
const MOST_TURNS = 40;
/** How long it is watched whether what was set goes on being set, and how often it is looked at, ms. */
const WATCHED = 1200;
const WATCHED_EACH = 50;

/** What each holds. @typedef {Map<HTMLInputElement, string>} Holdings */

/** At the look that is compared with. @type {Holdings} */
let atLook = new Map();
/** When the gesture began. @type {Holdings} */
let atBegin = new Map();
/** At the end of the last turn of an event. @type {Holdings} */
let lately = new Map();
/** At the last look. @type {Holdings} */
let shown = new Map();
/** What changed in turns of the gesture's events, and what did outside of them. @type {Set<Element>} */
let inTurns = new Set();
/** @type {Set<Element>} */
let outside = new Set();
/** What was watched, and didn't change again: what it held. @type {Holdings} */
let calm = new Map();
/** What was set in a press while an element, it or another, was told that it is left: what it held then. @type {Holdings} */
let left = new Map();
let turns = 0;
/** Whether a turn is under way. */
let isTurn = false;
/** The press that is under way in it, until it is released. @type {Event | null} */
let press = null;
/** Since when something is being left. @type {Holdings | null} */
let leaving = null;

/** @param {Element} el @returns {el is HTMLInputElement} */
export const isControl = (el) => /^(input|select|textarea)$/.test(tagOf(el));

/** What tells what a control holds from anything else. @param {HTMLInputElement} el */
export const heldBy = (el) => `${el.checked} ${el.indeterminate} ${el.value}`;

/** @returns {Holdings} */
function holdings() {
  const all = new Map();
  for (const el of queryAll(document, "input, select, textarea").slice(0, MOST_CONTROLS)) if (isControl(el)) all.set(el, heldBy(el));
  return all;
}

/** Whether it is a box or a radio button that holds what it did when the gesture began: then it shows nothing of a press. @param {Element} el */
export const isBoxAsBegun = (el) => isControl(el) && isTicked(el) && atBegin.get(el) === heldBy(el);

/** A gesture is going to be compared with what controls hold now. */
export function holdControls() {
  forgetControls();
  atLook = atBegin = lately = shown = holdings();
}

/** What came of the gesture has been looked at. */
export function forgetControls() {
  atLook = atBegin = lately = shown = new Map();
  [inTurns, outside, calm, left, turns] = [new Set(), new Set(), new Map(), new Map(), 0];
}

/** The gesture begins. */
export function beginControls() {
  atBegin = holdings();
  noteOutside(atBegin);
  lately = atBegin;
}

/** It is looked at again. */
export function showControls() {
  shown = holdings();
}

/** Notes what changed since the last turn. @param {Holdings} now */
function noteOutside(now) {
  for (const [el, held] of now) if (lately.has(el) && lately.get(el) !== held) outside.add(el);
}

/** Before these a browser has set nothing by itself: a box is ticked before its click is told of, and a list's choice before its change. */
const OUTER = /^(pointerdown|mousedown|pointerup|mouseup|keydown|keyup)$/;

/** What a press begins at is compared with, wherever it is: in a shadow tree, or after the most that are looked at. @param {Element | null} pressed */
export function notePressedControls(pressed) {
  for (let el = pressed; el; el = flatParentOf(el)) {
    const control = tagOf(el) === "label" ? controlOf(el) : el;
    if (control && isControl(control) && !atBegin.has(control)) atBegin.set(control, heldBy(control));
  }
}

/** An event of the gesture is about to be heard. @param {Event} event */
export function noteControls(event) {
  const now = beginTurn();
  notePressing(event);
  if (!now || OUTER.test(event.type)) return;
  const own = /** @type {HTMLInputElement} */ (event.composedPath()[0]);
  for (const [el, held] of lately) {
    if (el !== own && !(isTicked(el) && isTicked(own) && el.name === own.name)) continue;
    now.set(el, held);
    outside.delete(el);
  }
}

/** The gesture does something from here to the end of the turn: what controls hold before that. */
export function beginTurn() {
  if (isTurn || turns++ >= MOST_TURNS) return null;
  [isTurn, press] = [true, null];
  const before = holdings();
  noteOutside(before);
  afterTurn(() => {
    noteArrival();
    isTurn = false;
    lately = holdings();
    for (const [el, held] of lately) {
      if (!before.has(el) || before.get(el) === held) continue;
      inTurns.add(el);
      if (left.get(el) !== held) left.delete(el);
    }
  });
  return before;
}

/** Whether an event of the gesture is being heard, or what the browser does at once for it. */
export const isInTurn = () => isTurn;

/** A press and its release may come in one turn. @param {Event} event */
function notePressing(event) {
  if (/^(pointer|mouse)down$/.test(event.type)) press = event;
  else if (/^(pointerup|mouseup|click)$/.test(event.type)) {
    noteArrival();
    press = null;
  }
}

/** Something is told from here on that it is left: by a press that was heard, and by no script that hears it. */
export function noteLeaving() {
  if (isTurn && press?.eventPhase === Event.NONE) leaving ??= holdings();
}

/** It was told of that, or the next has the focus. */
export function noteArrival() {
  if (!leaving) return;
  for (const [el, held] of holdings()) {
    // What the press itself has set is its own.
    if (leaving.has(el) && leaving.get(el) !== held && leaving.get(el) === lately.get(el)) left.set(el, held);
  }
  leaving = null;
}

/** @param {HTMLInputElement} el */
const isTicked = (el) => /^(checkbox|radio)$/.test(el.type);

/** Controls that held something else at the last look than at that before the gesture, and not by what its events' turns alone have set. */
const setOutside = () => [...atLook.keys()].filter((el) => shown.has(el) && shown.get(el) !== atLook.get(el) && (outside.has(el) || !inTurns.has(el)));

/** Whether a control was set before the gesture, and not since. @param {HTMLInputElement} el */
const isSetBefore = (el) => atBegin.get(el) !== atLook.get(el) && atBegin.get(el) === shown.get(el);

/** Those that were set by themselves before the gesture, and not since. @returns {Element[]} */
export const setByThemselves = () => setOutside().filter(isSetBefore);

/** What was set as it lost the focus, or as another did, and is shown so. @returns {HTMLInputElement[]} */
export const setInLeaving = () => [...left.keys()].filter((el) => shown.get(el) === left.get(el));

/** Whether a control holds something else than when the gesture began, and not since the focus left. @param {Element} el */
export const isSetSince = (el) => isControl(el) && atBegin.has(el) && heldBy(el) !== atBegin.get(el) && heldBy(el) !== left.get(el);

/** Whether turns of the gesture's events alone have set a control that a look tells of, not counting what is told that it is left. */
export function isSetInTurns() {
  const byLeaving = new Set(/** @type {Element[]} */ (setInLeaving()));
  return [...inTurns].some((el) => isControl(el) && !outside.has(el) && !byLeaving.has(el) && knownNumberOf(el) && shown.has(el) && shown.get(el) !== atBegin.get(el));
}

/** Whether turns of the gesture's events have set any. */
export const isAnySetInTurns = () => [...inTurns].some(isSetSince);

/** Numbers of those that were set since, and go on being set. @returns {Promise<number[]>} */
export async function goingOn() {
  const open = setOutside().filter((el) => !isSetBefore(el) && calm.get(el) !== shown.get(el));
  const held = new Map(open.map((el) => [el, heldBy(el)]));
  const found = new Set();
  const until = performance.now() + WATCHED;
  while (found.size < held.size && performance.now() < until) {
    await new Promise((resolve) => ownTimer(() => resolve(null), WATCHED_EACH));
    for (const [el, was] of held) if (heldBy(el) !== was) found.add(el);
  }
  for (const el of open) if (!found.has(el)) calm.set(el, shown.get(el) ?? "");
  return [...found].flatMap((el) => knownNumberOf(el) ?? []);
}
