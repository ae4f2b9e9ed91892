// What a page does that no mutation tells of, beside carets: where things are scrolled to, what it gives the focus, what fills
// the screen or holds the pointer, what it asks of other programs and writes into its storage, rules that it puts into style sheets,
// and animations that its scripts begin.

import { activeOf, allSheetsOf, animationsOf, attr, bodyOf, closestOf, controlOf, documentElementOf, flatHolds, fullScreenOf, isConnected, isElement, listen, pointerLockOf, scrollLeftOf, scrollTopOf, scrollingElementOf, tagOf } from "../dom/dom.js";
import { noteAddressClick } from "./address-script.js";
import { noteBrought } from "./beforehand.js";
import { beginDrawn, drawnChanges, forgetDrawn } from "./canvases.js";
import { isBeside, noteCause, notePassing } from "./cause.js";
import { isInTurn, noteArrival, noteControls, noteLeaving, notePressedControls } from "./controls.js";
import { externalAddress, forgetExternal } from "./external.js";
import { hitOf } from "../input/event-hit.js";
import { mutation } from "./mutated.js";
import { countTimers, forgetPending, ownFrame, ownTimer } from "./pending.js";
import { notePressed, pressedControl, pressedNow } from "./pressed.js";
import { forgetStored, noteStored } from "./stored.js";
import { shownByPointer } from "../dom/user-action.js";
import { signalChange, versionNow } from "../dom/version.js";

/** Scrollers that are remembered, and scrollers and animations that are told of. */
const SCROLLED_MOST = 100;
const TOLD_OF = 5;
/** Sheets whose rules are counted. */
const SHEETS = 200;
/** So many elements are known to come or go with the pointer. */
const POINTED = 200;
/** What scrolled twice so shortly before a gesture goes on by itself, and how far apart that is two times, ms. */
const ROLLING = 1500;
const ONE_ROLL = 100;
/** What is scrolled smoothly begins so late, ms. */
const SMOOTHLY = 100;
/** What input comes to a page as, and which of it names what it is for. */
const INPUTS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "contextmenu", "keydown", "keypress", "keyup", "beforeinput", "input", "change", "submit"];
const PRESSES = new Set(["pointerdown", "click", "keydown"]);
/** A press begins with one of these, before the browser has set anything for it. */
const BEGINS = /^(pointerdown|keydown)$/;
/** Names of elements are cut there. */
const NAME_LENGTH = 60;

/** @typedef {[number, number]} Place left and top, CSS px */
/** @typedef {{focused: Element | null, full: Element | null, locked: Element | null, rules: number, animations: Set<Animation>}} Situation */

/** As it was when the gesture began. @type {Situation | null} */
let situation = null;
/** Where everything that ever scrolled stood when the gesture began. @type {Map<Element, Place>} */
const stood = new Map();
/** What scrolled since, and whether in answer to input. @type {Map<Element, boolean>} */
const scrolled = new Map();
/** last, before: when a scroller last began to scroll by itself, and the time before; event: when it last moved. @typedef {{before: number, last: number, event: number}} Rolls */
/** Scrollers, and how they scroll by themselves. @type {Map<Element, Rolls>} */
const rolledAt = new Map();
let begunAt = 0;
/** What the pointer is over, and was when the gesture began. @type {Element | null} */
let over = null;
/** @type {Element | null} */
let wasOver = null;
/** Whether the page has been given input that the next frame shows the effect of. */
let isAnswering = false;

/** From here on a change is a gesture's. */
export function noteSituation() {
  [isAnswering, wasOver] = [false, over];
  notePressed(null);
  begunAt = performance.now();
  scrolled.clear();
  stood.clear();
  forgetExternal();
  forgetPending();
  forgetStored();
  beginDrawn();
  for (const el of rolledAt.keys()) {
    if (isConnected(el)) stood.set(el, scrolledTo(el));
    else rolledAt.delete(el);
  }
  const page = scrollingElementOf(document);
  if (page) stood.set(page, scrolledTo(page));
  situation = { focused: activeOf(), full: fullScreenOf(document), locked: pointerLockOf(document), rules: countRules(), animations: new Set(scriptedAnimations()) };
}

export function forgetSituation() {
  situation = null;
  forgetStored();
  forgetDrawn();
  scrolled.clear();
}

/** @param {Element} el @returns {Place} */
const scrolledTo = (el) => [scrollLeftOf(el), scrollTopOf(el)];

function countRules() {
  let count = 0;
  for (const sheet of allSheetsOf(document).slice(0, SHEETS)) {
    try {
      if (!sheet.disabled) count += sheet.cssRules.length;
    } catch {
      // Of another origin: nobody else can put rules into it either.
    }
  }
  return count;
}

/** Animations that scripts began, not style sheets. @returns {Animation[]} */
const scriptedAnimations = () => animationsOf(document).filter((one) => !(one instanceof CSSTransition || one instanceof CSSAnimation));

/** What is different from when the gesture began. @returns {import("./mutated.js").Mutated[]} */
export function situationChanges() {
  if (!situation) return [];
  return [...scrolledPlaces(), ...movedFocus(situation), ...shownWhole(situation), ...newRules(situation), ...begunAnimations(situation), ...askedOthers(), ...drawnChanges()];
}

/** Elements that come or go with the pointer, which the gesture took to where it pressed. @returns {Element[]} */
export const pointedAlone = () => (pressedNow() && over !== wasOver ? shownByPointer(POINTED) : []);

function* scrolledPlaces() {
  let told = 0;
  for (const [el, isAnswer] of scrolled) {
    const [from, to] = [stood.get(el) ?? [0, 0], scrolledTo(el)];
    if (!isConnected(el) || (Math.abs(from[0] - to[0]) < 1 && Math.abs(from[1] - to[1]) < 1) || told++ >= TOLD_OF) continue;
    const words = [from, to].map(([left, top]) => `${Math.round(left)},${Math.round(top)}`);
    yield mutation(el, "scroll", [words[0], words[1]], isAnswer ? "input" : "later");
  }
}

/** Where the focus went that a press doesn't take there by itself. @param {Situation} was */
function* movedFocus(was) {
  const [now, pressed] = [activeOf(), pressedNow()];
  if (!now || now === was.focused || !pressed || now === bodyOf(document) || /^(i?frame|fencedframe)$/.test(tagOf(now))) return;
  const label = closestOf(pressed, "label");
  if (flatHolds(now, pressed) || flatHolds(pressed, now) || (label && controlOf(label) === now)) return;
  yield mutation(now, "focus", ["", nameOfFocused(now)], "input");
}

/** @param {Element} el */
const nameOfFocused = (el) => (attr(el, "aria-label") ?? attr(el, "name") ?? attr(el, "id") ?? tagOf(el)).slice(0, NAME_LENGTH);

/** @param {Situation} was */
function* shownWhole(was) {
  const [full, locked] = [fullScreenOf(document), pointerLockOf(document)];
  if (full !== was.full) yield switched(full ?? was.full, "fullscreen", full !== null);
  if (locked !== was.locked) yield switched(locked ?? was.locked, "pointer lock", locked !== null);
}

/** @param {Element | null} el @param {string} property @param {boolean} on */
function switched(el, property, on) {
  const at = /** @type {Element} */ (el ?? documentElementOf(document));
  return mutation(at, property, on ? ["off", "on"] : ["on", "off"], "input");
}

/** @param {Situation} was */
function* newRules(was) {
  const now = countRules();
  const root = documentElementOf(document);
  if (root && now !== was.rules) yield mutation(root, "style rules", [`${was.rules}`, `${now}`], "input");
}

/** What the page wanted of another program. */
function* askedOthers() {
  const [address, el] = [externalAddress(), pressedNow() ?? documentElementOf(document)];
  if (address && el) yield mutation(el, "external address", ["", address], "input");
}

/** Animations of other things than what was pressed: ripples come with any press. @param {Situation} was */
function* begunAnimations(was) {
  let told = 0;
  const control = pressedControl();
  for (const one of scriptedAnimations()) {
    const { effect } = one;
    const el = effect instanceof KeyframeEffect && effect.pseudoElement === null ? effect.target : null;
    if (was.animations.has(one) || !el || (control && (flatHolds(control, el) || flatHolds(el, control))) || told++ >= TOLD_OF) continue;
    yield mutation(el, "animation", ["", one.playState], "input");
  }
}

/** @param {Event} event */
function noteScroll(event) {
  const at = event.target;
  const el = at === document ? scrollingElementOf(document) : isElement(/** @type {Node} */ (at)) ? /** @type {Element} */ (at) : null;
  if (!el) return;
  const rolls = rolledAt.get(el) ?? { before: -Infinity, last: -Infinity, event: -Infinity };
  if (rolledAt.has(el) || rolledAt.size < SCROLLED_MOST) rolledAt.set(el, rolls);
  const now = performance.now();
  // One that goes on smoothly, or that is ours, is no new one of its own.
  if (!isAnswering && now - rolls.event > ONE_ROLL) [rolls.before, rolls.last] = [rolls.last, now];
  rolls.event = now;
  if (!situation || scrolled.has(el) || begunAt - rolls.before < ROLLING) return;
  scrolled.set(el, isAnswering);
  noteCause(isAnswering ? "input" : "later");
  signalChange();
}

/** What is scrolled in a handler is told of in the frame after it, which comes before its callbacks. @param {Event} event */
function noteInput(event) {
  if (!event.isTrusted) return;
  notePassing(event);
  if (!situation) return;
  if (BEGINS.test(event.type)) notePressedControls(hitOf(event));
  noteControls(event);
  if (PRESSES.has(event.type)) {
    notePressed(hitOf(event) ?? pressedNow());
    noteStored();
  }
  noteAddressClick(event, versionNow);
  answerInFrame();
  countTimers();
}

/** @param {Event} event */
function noteFocus(event) {
  if (!event.isTrusted || !situation) return;
  if (isBeside(event)) noteLeaving();
  else noteArrival();
}

/** A press opens a popover by the browser's own doing, of which no mutation tells. @param {Event} event */
function noteOpening(event) {
  const el = event.target;
  if (!event.isTrusted || !situation || !isInTurn() || !isElement(/** @type {Node} */ (el)) || /** @type {ToggleEvent} */ (event).newState !== "open") return;
  noteBrought(/** @type {Element} */ (el));
  noteCause("input");
  signalChange();
}

/** What a press opens, closes or leads to says so in a turn of its own. @param {Event} event */
function noteOwnTurn(event) {
  if (event.isTrusted && situation) countTimers();
}

/** What scrolls until the next frame is shown does so in answer to input, or is scrolled by us. */
export function answerInFrame() {
  if (isAnswering) return;
  isAnswering = true;
  ownFrame(() => ownFrame(() => ownTimer(() => (isAnswering = false), SMOOTHLY)));
}

listen(document, "scroll", noteScroll);
listen(window, "pointerover", (/** @type {Event} */ event) => void (over = hitOf(event)));
for (const type of INPUTS) listen(window, type, noteInput);
for (const type of ["change", "blur", "focusout", "focus", "focusin"]) listen(window, type, noteFocus);
listen(window, "beforetoggle", noteOpening);
for (const type of ["toggle", "close", "cancel", "hashchange", "popstate"]) listen(window, type, noteOwnTurn);
