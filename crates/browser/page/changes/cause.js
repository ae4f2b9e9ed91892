// Which changes of the document input brings about, and which come of themselves: clocks, spinners, feeds.
//
// A change made inside an event of input (or in a promise that is resolved there) is that event's. What changes later
// may be too, by a timer or an answer, unless the same element kept changing before anything was done.

import { activeOf, attr, flatParentOf, isElement, isShadowRoot, parentNodeOf, queryAll, readyStateOf, tagOf } from "../dom/dom.js";
import { isAddressRunning } from "./address-run.js";
import { LEVELS, shownAround, toldAround, withInside } from "./around.js";
import { endBeforehand, forgetBeforehand, noteTouched, noteUnprompted, noteWithPointer, numbersWithPointer, touchedNow, unpromptedGone, unpromptedOnes } from "./beforehand.js";
import { caretChanges, forgetCaret, noteCaret } from "./caret.js";
import { beginTurn, isSetInTurns, setByThemselves } from "./controls.js";
import { forgetMutations, loseMutations, netMutations, noteMutation, passOver } from "./mutated.js";
import { countTimers } from "./pending.js";
import { storedChanges } from "./stored.js";
import { knownNumberOf } from "../dom/numbers.js";

/** @typedef {import("./mutated.js").Cause} Cause */

/** Changes of an element that make it one that changes by itself: so many within this time, ms. */
const OFTEN = 3;
const OFTEN_WITHIN = 4000;
/** Or so many whose gaps are alike: the longer by this share at most. */
const EVEN = 1.35;
/** Changes closer together than this count once, ms: a list that is drawn takes several tasks. */
const ONCE = 50;
/** What a page does while it is loaded is no habit of it; one that is loaded for longer than this goes on as it began, ms. */
const LOADED_IN = 5000;
const RESTLESS_LIMIT = 5000;
/** Of those that change by themselves so many are remembered. */
const HABITS = 30;
/** Of a flood of changes at once so many are told apart. */
const RECORDS = 2000;

/** Kinds of events that input brings, beside those of the mouse, the keyboard and the focus. */
const OF_INPUT = new Set(["change", "submit", "reset", "invalid", "toggle", "beforetoggle", "close", "cancel", "select", "selectionchange", "formdata", "command", "copy", "cut", "paste", "popstate", "hashchange"]);
/** What comes before anything is pressed, or beside it: the pointer being somewhere, a target brought into view, another one left. */
const OF_MOTION = /^((mouse|pointer)(move|over|out|enter|leave|rawupdate)|scroll|scrollend|blur|focusout)$/;

/** Times of an element's last changes, oldest first. @type {WeakMap<Element, number[]>} */
const movedAt = new WeakMap();
/** Elements that a change that came of itself has put in, and what it was a change of. @type {WeakMap<Element, Element>} */
const putIn = new WeakMap();

/** Changes that listeners made in events of input. */
let changesByInput = 0;
/** When the gesture began; null: none is under way. @type {number | null} */
let gestureAt = null;
/** Whether a deed of ours is being done by script. */
let doing = false;
/** What was seen since. @type {{input: boolean, motion: boolean, later: boolean}} */
let causes = { input: false, motion: false, later: false };
/** Elements that changed by themselves since, with those that show it. @type {Set<Element>} */
let restlessOnes = new Set();
/** Those that were put in by such changes: what is in them is told once it has been looked at. @type {Set<Element>} */
let restlessNew = new Set();
/** Which causes were told of since. @type {{input: boolean, motion: boolean, later: boolean, itself: boolean}} */
let causesTold = { input: false, motion: false, later: false, itself: false };
/** Whether they are being noted. */
let isShowing = false;
/** Numbers of the last elements that such changes took out: a look may have shown them. @type {number[]} */
const takenOut = [];

/** Changes of a gesture that are marked at most. */
const MARKED = 60;
/** How many may still be. */
let toMark = 0;

/** Has the browser tell what began what runs now: it keeps the stack of that with what is said on a console, and nobody but us hears this one. */
function markCause() {
  if (toMark-- > 0) console.debug("");
}

/** From here on changes may be a gesture's. @param {boolean} marks whether those that come later are marked */
export function beginGesture(marks) {
  toMark = marks ? MARKED : 0;
  gestureAt = performance.now();
  causes = { input: false, motion: false, later: false };
  restlessOnes = new Set();
  restlessNew = new Set();
  isShowing = true;
  forgetMutations();
  endBeforehand();
  noteCaret();
  causesTold = { input: false, motion: false, later: false, itself: false };
}

/** What changes from here on is no gesture's. */
export function endGesture() {
  gestureAt = null;
  isShowing = false;
  forgetMutations();
  forgetBeforehand();
  forgetCaret();
}

/** Does something that is input in all but name. The changes made before and in it are to be handed over by `flush`. @template T @param {() => T} deed @param {() => void} flush @returns {T} */
export function asInput(deed, flush) {
  flush();
  countTimers();
  beginTurn();
  doing = true;
  try {
    return deed();
  } finally {
    flush();
    doing = false;
  }
}

/** Whether something was brought about since the gesture began. @param {Cause} cause */
export const hasCaused = (cause) => causes[cause] || causesTold[cause];

/** What brought about the changes since this was last asked; null: what is no news. */
export function causesNow() {
  if (gestureAt === null) return {};
  const { input, motion, later } = causes;
  const itself = !(input || motion || later);
  if (itself && causesTold.itself) return null;
  causes = { input: false, motion: false, later: false };
  const { input: a, motion: b, later: c, itself: d } = causesTold;
  causesTold = { input: a || input, motion: b || motion, later: c || later, itself: d || itself };
  return { input, motion, later, itself };
}

/** The last event that came by at window. @type {Event | null} */
let passing = null;

/** In a shadow tree `window.event` is undefined: there it is the one that came by. @param {Event} event */
export const notePassing = (event) => void (passing = event);

/** Something changed that no mutation tells of. @param {Cause} cause */
export function noteCause(cause) {
  if (gestureAt !== null) causes[cause] = true;
}

/** How many changes were made in events of input so far. */
export const inputChanges = () => changesByInput;

/** Whether there is a cause that wasn't told of yet: settling may end before the next signal is due. */
export const isNewCause = () => gestureAt !== null && ((causes.input && !causesTold.input) || (causes.motion && !causesTold.motion) || (causes.later && !causesTold.later));

/**
 * Numbers of the elements that changed by themselves during the gesture, and of those around and inside that show it; of those that
 * came or changed with the pointer or as the focus left; whether the gesture's events alone set a control; and what else changed. Where no mutation
 * tells of input, what `unmutated` finds counts, and what `pointed` finds counts as what changed by itself.
 * @param {() => import("./mutated.js").Mutated[]} unmutated @param {() => Element[]} pointed
 */
export function causedChanges(unmutated, pointed) {
  // What a frame shows may have come later than the frame.
  const frames = queryAll(document, "iframe, frame").filter((one) => isPutIn(one, gestureAt ?? performance.now()));
  // A gesture that goes on is looked at again.
  isShowing = gestureAt !== null;
  const net = netMutations();
  // What is typed moves the caret, too.
  const isTold = net.named.some(({ cause }) => cause === "input");
  if (!isTold) net.named.push(...caretChanges(), ...unmutated());
  net.named.push(...storedChanges());
  // Style sheets show tooltips and hide them with the pointer, whatever was pressed.
  const byPointer = untouchedIn(pointed());
  const all = new Set([...restlessOnes, ...[...restlessNew].flatMap(withInside), ...frames, ...(isTold ? [] : byPointer), ...unpromptedOnes(), ...setByThemselves()]);
  const self_changing = [...new Set([...knownNumbersOf([...all]), ...takenOut, ...unpromptedGone()])];
  return { self_changing, with_pointer: [...new Set([...knownNumbersOf(byPointer), ...numbersWithPointer()])], set_by_input: isSetInTurns(), ...net };
}

/** Elements with what is in them, and nothing that came of the gesture. @param {Element[]} some */
function untouchedIn(some) {
  const isTouched = touchedNow();
  /** @type {Set<Element>} */
  const all = new Set();
  for (const el of some) {
    if (all.size >= RESTLESS_LIMIT) break;
    if (!all.has(el) && !isTouched(el)) for (const one of withInside(el)) if (!isTouched(one)) all.add(one);
  }
  return [...all];
}

/** @param {Element[]} all */
const knownNumbersOf = (all) => all.flatMap((el) => knownNumberOf(el) ?? []);

/** Takes account of changes. @param {MutationRecord[]} records @param {boolean} own whether they are handed over in the turn that made them */
export function accountFor(records, own) {
  const under = causeNow();
  const now = performance.now();
  // What the parser of a frame puts in isn't the gesture's: that the frame went there is told by itself.
  if (under === null && window !== window.top && isLoading(now)) return;
  /** Elements, and whether they change by themselves. @type {Map<Element, boolean>} */
  const seen = new Map();
  /** Those whose text may be another. @type {Set<Element>} */
  const texts = new Set();
  let isLater = false;
  if (records.length > RECORDS && gestureAt !== null) loseMutations(under ?? "later");
  for (const one of records.length > RECORDS ? records.slice(0, RECORDS) : records) {
    if (under === "input") changesByInput += 1;
    const node = isElement(one.target) || isShadowRoot(one.target) ? one.target : parentNodeOf(one.target);
    const el = isShadowRoot(node) ? node.host : node;
    if (!isElement(el)) {
      if (gestureAt !== null) {
        causes[under ?? "later"] = true;
        noteMutation(one, under ?? "later");
      }
      continue;
    }
    const cause = isInterloper(el) ? null : under;
    if (cause !== null) {
      if (cause === "motion") noteWithPointer(one, el);
      if (gestureAt !== null) {
        causes[cause] = true;
        noteMutation(one, cause);
        if (cause === "input") noteTouched(one, el);
      }
      continue;
    }
    noteUnprompted(one, el);
    let isHabit = seen.get(el);
    if (isHabit === undefined) seen.set(el, (isHabit = weighCause(el, now)));
    if (isHabit) {
      showRestless(one, el);
      passOver(one);
    } else if (gestureAt !== null) {
      noteMutation(one, "later");
      noteTouched(one, el);
      isLater = true;
    }
    if (one.type !== "attributes" || TEXTUAL.test(one.attributeName ?? "")) texts.add(el);
  }
  for (const el of texts) weighText(el, now);
  if (isLater && own) markCause();
}

/**
 * Whether an element that changed by itself before changes while the script of a link's address runs: a timer that is due during the
 * click runs right after that.
 * @param {Element} el
 */
const isInterloper = (el) => !doing && isAddressRunning() && movedAt.has(el);

/** Elements whose text is never shown. */
const UNRENDERED = /^(style|script|template|noscript)$/;
/** Attributes that say what an element is called or holds. */
const TEXTUAL = /^(aria-(label|description|valuetext|valuenow|placeholder|roledescription)|title|alt|value|placeholder|label|data-.*)$/;
/** Times of an element's last changes of text, oldest first. @type {WeakMap<Element, number[]>} */
const retextedAt = new WeakMap();
/** Elements whose text kept changing by itself, the last ones, since when. @type {Map<Element, number>} */
const habits = new Map();

/** The elements whose text kept changing by itself until now, and those around that show it. @returns {Set<Element>} */
function selfChanging() {
  /** @type {Set<Element>} */
  const all = new Set();
  for (const one of habits.keys()) {
    // What is never rendered shows nothing that changes.
    if (UNRENDERED.test(tagOf(one))) continue;
    for (const around of shownAround(one)) all.add(around);
  }
  return all;
}

/** Whether an element, or something that it shows, kept changing by itself. @param {Element} el @param {import("../dom/look.js").Look} look */
export const isSelfChanging = (el, look) => (look.changing ??= selfChanging()).has(el);

/** Whether an element changes by itself. What follows a gesture is no habit. @param {Element} el @param {number} now */
function weighCause(el, now) {
  const isHabit = isRestless(el, gestureAt ?? now);
  if (gestureAt !== null && !isHabit) causes.later = true;
  else noteTime(movedAt, el, now);
  return isHabit;
}

/**
 * Notes that an element's text changes by itself, if it does: only then may its digits go on changing. That it moves, or was put
 * in by something that does, says nothing of its text.
 * @param {Element} el @param {number} now
 */
function weighText(el, now) {
  if (isOften(retextedAt.get(el), gestureAt ?? now)) {
    habits.delete(el);
    habits.set(el, now);
    for (const old of habits.keys()) {
      if (habits.size <= HABITS) break;
      habits.delete(old);
    }
  } else if (gestureAt !== null) return;
  noteTime(retextedAt, el, now);
}

/** What is under way. @returns {"input" | "motion" | null} */
function causeNow() {
  if (doing || isAddressRunning()) return "input";
  // It is the page's own event, whichever world asks; none in a timer or a frame.
  const event = window.event ?? (passing?.eventPhase ? passing : null);
  if (!event?.isTrusted) return null;
  if (isBeside(event)) return "motion";
  const isUi = event instanceof UIEvent && event.type !== "resize" && event.type !== "load";
  return isUi || OF_INPUT.has(event.type) ? "input" : null;
}

/** Whether an event comes before a press, or beside it. @param {Event} event */
export const isBeside = (event) => OF_MOTION.test(event.type) || isLeaving(event);

/** Whether a field of text that was filled before tells of that as it is left: by then it has the focus no more. @param {Event} event */
function isLeaving(event) {
  const { type } = event;
  const target = /** @type {Node | null} */ (event.target);
  if (type !== "change" || !isElement(target) || activeOf() === target) return false;
  return tagOf(target) === "textarea" || (tagOf(target) === "input" && !UNTYPED.test(attr(target, "type") ?? ""));
}

/** Inputs that nothing is typed into. */
const UNTYPED = /^(checkbox|radio|file|color|range|button|submit|reset|image|hidden)$/i;

/** Whether the document is still coming up; one that never ends loading counts as there after a while. @param {number} now */
const isLoading = (now) => now < LOADED_IN && readyStateOf(document) !== "complete";

/** @param {WeakMap<Element, number[]>} all @param {Element} el @param {number} now */
function noteTime(all, el, now) {
  if (isLoading(now)) return;
  const times = all.get(el);
  if (!times) return void all.set(el, [now]);
  if (now - times[times.length - 1] < ONCE) return;
  times.push(now);
  if (times.length > OFTEN) times.shift();
}

/** Whether an element kept changing before, or is in what was put in by such a change. @param {Element} el @param {number} at */
function isRestless(el, at) {
  return isOften(movedAt.get(el), at) || isPutIn(el, at);
}

/** Whether an element is in what was put in by a change that came of itself, of what goes on changing so. @param {Element} el @param {number} at */
function isPutIn(el, at) {
  let up = /** @type {Element | null} */ (el);
  for (let i = 0; up && i < LEVELS; i++, up = flatParentOf(up)) {
    const by = putIn.get(up);
    if (by && isOften(movedAt.get(by), at)) return true;
  }
  return false;
}

/** @param {number[] | undefined} times @param {number} at */
function isOften(times, at) {
  if (!times || times.length < OFTEN) return false;
  if (times[0] > at - OFTEN_WITHIN) return true;
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  const [least, most] = [Math.min(...gaps), Math.max(...gaps)];
  return most <= least * EVEN && at - times[times.length - 1] <= most * EVEN;
}

/** Notes what shows a change that came of itself. @param {MutationRecord} one @param {Element} el */
function showRestless(one, el) {
  let hasText = one.type !== "childList";
  for (const node of one.removedNodes) {
    if (!isElement(node)) {
      hasText = true;
      continue;
    }
    takenOut.push(...knownNumbersOf(withInside(node)));
    restlessNew.delete(node);
  }
  takenOut.splice(0, takenOut.length - RESTLESS_LIMIT);
  for (const node of one.addedNodes) {
    if (!isElement(node)) {
      hasText = true;
      continue;
    }
    putIn.set(node, el);
    if (isShowing && restlessNew.size < RESTLESS_LIMIT) restlessNew.add(node);
  }
  // What changed before a gesture is noted for its own sake.
  if (!isShowing) return;
  if (one.type !== "childList" && restlessOnes.has(el)) return;
  if (hasText) addRestless(el);
  addAround(el);
}

/** Those that show an element's text as theirs. @param {Element} el */
function addAround(el) {
  for (const around of toldAround(el)) addRestless(around);
}

/** Until what came of the gesture has been looked at. @param {Element} el */
function addRestless(el) {
  if (isShowing && restlessOnes.size < RESTLESS_LIMIT) restlessOnes.add(el);
}
