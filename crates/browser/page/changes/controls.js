// What controls hold that nobody but a script sets: it tells nobody of that, neither by a mutation nor by an event. A control is
// looked at before each event of a gesture and right after its turn: what the event's listeners set in that turn is its effect, what
// changed between two turns came of itself, and what changes after the last may be either.

import { afterTurn, queryAll, tagOf } from "../dom/dom.js";
import { knownNumberOf } from "../dom/numbers.js";
import { ownTimer } from "./pending.js";

/** So many controls are looked at. */
const MOST_CONTROLS = 1000;
/** How long it is watched whether what changed later goes on changing, and how often it is looked at, ms. */
const WATCHED = 1200;
const WATCHED_EACH = 50;

/** What each holds. @typedef {Map<HTMLInputElement, string>} Holdings */

/** At the look that is compared with. @type {Holdings} */
let atLook = new Map();
/** At the last look. @type {Holdings} */
let shown = new Map();
/** At the end of the last turn of an event, or at that look. @type {Holdings} */
let lately = new Map();
/** What changed in turns of the gesture's events, and what did between them. @type {Set<Element>} */
let inTurns = new Set();
/** @type {Set<Element>} */
let between = new Set();
/** Whether a turn is under way. */
let isTurn = false;
/** Before these a browser has set nothing by itself: a box is ticked before its click is told of, and a list's choice before its change. */
const OUTER = /^(pointerdown|mousedown|pointerup|mouseup|keydown|keyup)$/;

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

/** A gesture is going to be compared with what controls hold now. */
export function holdControls() {
  [atLook, inTurns, between] = [holdings(), new Set(), new Set()];
  lately = shown = atLook;
}

/** It is looked at again. */
export function showControls() {
  shown = holdings();
}

/** An event of the gesture is about to be heard. @param {Event} event */
export function noteControls(event) {
  if (OUTER.test(event.type)) beginTurn();
  else beginTurn(lately);
}

/** The gesture does something from here to the end of the turn, or has since controls held this. @param {Holdings} [before] */
export function beginTurn(before) {
  if (isTurn) return;
  isTurn = true;
  const now = before ?? holdings();
  for (const [el, held] of now) if (lately.has(el) && lately.get(el) !== held) between.add(el);
  afterTurn(() => {
    isTurn = false;
    lately = holdings();
    for (const [el, held] of lately) if (now.has(el) && now.get(el) !== held) inTurns.add(el);
  });
}

/** Controls that held something else at the last look than at that before the gesture, by what no turn of its events has set. */
function* setOutside() {
  for (const [el, held] of atLook) if (shown.has(el) && shown.get(el) !== held && !inTurns.has(el)) yield el;
}

/** Those that changed by themselves before the gesture's last event. @returns {Element[]} */
export const setByThemselves = () => [...setOutside()].filter((el) => between.has(el));

/** Numbers of those that changed after the gesture's events, and go on changing. @returns {Promise<number[]>} */
export async function goingOn() {
  const held = new Map([...setOutside()].filter((el) => !between.has(el)).map((el) => [el, heldBy(el)]));
  const found = new Set();
  const until = performance.now() + WATCHED;
  while (found.size < held.size && performance.now() < until) {
    await new Promise((resolve) => ownTimer(() => resolve(null), WATCHED_EACH));
    for (const [el, was] of held) if (heldBy(el) !== was) found.add(knownNumberOf(el));
  }
  return [...found].filter(Boolean);
}
