// The guard: checks inside each event of a gesture that it hits the very target and that the
// target is still what it was, and swallows it and all that follows when not.
//
// The listeners sit on window in capture, added before any of the page's, and on the target
// itself (and its labels and roots), because a handler of the page may change the target
// earlier in the same event. Between two handlers, where no listener of ours can stand, a mutation
// observer looks on: it is told what one of them changed before the next one runs. The first
// failure latches until the guard is disarmed. A check that can't be made is a failure, too.

import { awaitAnswer, cancelPress, closeTurn, handRelease, isLeftOver, isOwnSubmit, noAnswer, relabelledAt } from "./answer.js";
import { flatHolds, flatParentOf, isConnected, listen, nodeTypeOf, ownerOf, rootOf, shadowOf, tagOf, unlisten, controlOf, queryAll, signalOut } from "../dom/dom.js";
import { callName, factsOf, saysNow } from "../capture/facts.js";
import { notePressFor } from "../changes/caret.js";
import { dropFault, hitOf, stop, wayOf } from "./event-hit.js";
import { follow, keyGoes } from "./follow.js";
import { ALL_EVENTS, DROP_EVENTS, EVERY_EVENT, MOVES, TYPES } from "./gesture-events.js";
import { isDisabled } from "../dom/focus.js";
import { belongs } from "../dom/hit.js";
import { keyboardFault, noteKeys, SOFT_KEYBOARD } from "./keys.js";
import { isAstray, notePointer, noteReached, placeFault, spotIn } from "./spot.js";
import { labelsOf } from "../names/labels.js";
import { elementOf } from "../dom/numbers.js";
import { forbiddenAt, forbiddenIn, pressIn, standWard } from "./ward.js";
import { hasChangedFrom } from "./unchanged.js";

/** @typedef {"miss" | "misplaced" | "shifted" | "relabelled" | "denied" | "forbidden" | "detached" | "disabled" | "broken" | "intercepted" | "answered"} Fault forbidden: a rule names what would be pressed; broken: the check itself failed; intercepted: a listener on the way had it; answered: the page made the target another in answer to it */
/** @typedef {import("../text/matching.js").Held} Held */
/** @typedef {import("./gesture-events.js").Gesture} Gesture */
/** @typedef {{target: number, held?: Held | null}} End where a drag is to end; a target of 0 is in another document */
/** @typedef {{mode: Gesture, target: number | null, held?: Held | null, follow?: boolean, place?: boolean, spot?: import("./spot.js").SpotSpec | null, by?: import("./ward.js").PressBy, end?: End | null, ward?: import("./ward.js").TargetRule[]}} Spec */
/** over: stopped, as what was left once the page had answered. @typedef {{type: string, pass: boolean, late?: boolean, over?: boolean, reason?: Fault, hit?: ReturnType<typeof callName>, now?: {role: string, name: string, text: string}}} EventRecord */

/** Of so many elements in a target their roots are watched, too. */
const ROOTS_ASKED = 200;

/**
 * @typedef {object} Guard
 * @property {"released" | "armed" | "denied"} mode
 * @property {Gesture} gesture
 * @property {Element | null} target
 * @property {Set<string>} types
 * @property {Held | null} held
 * @property {boolean} follow whether keys may go where they themselves move the focus
 * @property {boolean} place whether a place in the target was asked for
 * @property {import("./spot.js").Spot | null} spot where a press must come
 * @property {End | null} end
 * @property {Fault | null} fault the first failure, which latches
 * @property {EventRecord[]} events
 * @property {WeakMap<Event, EventRecord>} records
 * @property {Set<Node>} posts where the extra listeners sit
 * @property {Event | null} current the event of the gesture that was last judged
 * @property {Map<Element, Map<string, string>>} revealed what shows in a target only while it is pointed to
 * @property {import("./answer.js").Answer} answer what the page made of what the target got
 * @property {Event | null} reached the last one that came to what it hits, so that the target's own listeners have run since
 */

/** @type {Guard} */
const guard = { mode: "released", gesture: "pointer", target: null, types: new Set(), held: null, follow: false, place: false, spot: null, end: null, fault: null, events: [], records: new WeakMap(), posts: new Set(), current: null, revealed: new Map(), reached: null, answer: noAnswer() };

/** Outlives document.open(), which takes every listener away, and is told of it before the next event. */
const reopening = new MutationObserver(standGuard);
/** Looks on while armed, between one listener of the page and the next. */
const witness = new MutationObserver(onChanged);
/** So many events of a gesture are told. */
const EVENTS_TOLD = 500;
const WITNESSED = { subtree: true, childList: true, attributes: true, characterData: true };

/** Puts the listeners on window: the same function again is free, and document.open() has removed it. */
export function standGuard() {
  reopening.observe(document, { childList: true });
  for (const type of ALL_EVENTS) listen(window, type, onEvent);
  if (guard.mode !== "armed") return;
  for (const type of guard.types) listen(window, type, onEvent);
  if (guard.end || guard.spot) for (const type of MOVES) listen(window, type, noteMove);
}

/** A document made by a browser of ours while a gesture may be under way lets nothing through. */
export function deny() {
  standGuard();
  if (guard.mode !== "armed") {
    resetGuard();
    guard.mode = "denied";
  }
}

/** Lets everything through again. */
export function release() {
  leavePosts();
  guard.mode = "released";
}

function resetGuard() {
  leavePosts();
  Object.assign(guard, { target: null, types: new Set(), held: null, follow: false, place: false, spot: null, end: null, fault: null, events: [], records: new WeakMap(), posts: new Set(), current: null, revealed: new Map(), reached: null, answer: noAnswer() });
}

function leavePosts() {
  for (const post of guard.posts) for (const type of EVERY_EVENT) unlisten(post, type, onEvent);
  for (const type of EVERY_EVENT) if (!ALL_EVENTS.includes(type)) unlisten(window, type, onEvent);
  follow(null);
  for (const type of MOVES) unlisten(window, type, noteMove);
  guard.posts = new Set();
  witness.disconnect();
}

/**
 * Arms the guard for one gesture.
 * @param {Spec} spec @returns {{ok: boolean, reason?: string, facts?: ReturnType<typeof factsOf>}}
 */
export function arm(spec) {
  try {
    return armFor(spec);
  } catch {
    release();
    return { ok: false, reason: "broken" };
  }
}

/** @param {Spec} spec @returns {{ok: boolean, reason?: string, facts?: ReturnType<typeof factsOf>}} */
function armFor(spec) {
  resetGuard();
  guard.mode = "armed";
  guard.gesture = spec.mode;
  guard.types = new Set(TYPES[spec.mode]);
  Object.assign(guard, { end: spec.end ?? null, follow: spec.follow ?? false, place: spec.place ?? false });
  standGuard();
  guard.held = spec.held ?? null;
  standWard(spec.ward);
  noteKeys.clear();
  lastMove = null;
  if (spec.target === null || spec.target === undefined) {
    if (guard.gesture === "free") witness.observe(document, WITNESSED);
    return { ok: true };
  }
  const target = elementOf(spec.target);
  if (!target || !isConnected(target)) {
    release();
    return { ok: false, reason: "detached" };
  }
  guard.target = target;
  follow(target);
  notePressFor(guard.place ? null : target);
  const by = spec.by ?? (guard.gesture === "keyboard" ? "keys" : guard.gesture === "drag" ? "drag" : "pointer");
  const spot = spec.spot ? spotIn(spec.spot, target) : null;
  const fault = (spot === "misplaced" ? spot : targetFault(target)) ?? (guard.follow || !forbiddenAt(target, by) ? null : "forbidden");
  const facts = factsOf(target);
  if (fault) {
    release();
    // What is in another place is the same still.
    return { ok: false, reason: fault, facts: fault === "misplaced" ? undefined : facts };
  }
  takePosts(target, spot === "misplaced" ? null : spot);
  return { ok: true, facts };
}

/** Listens on the target, its labels and every shadow root it is in. @param {Element} target @param {import("./spot.js").Spot | null} spot */
function takePosts(target, spot) {
  guard.spot = spot;
  if (spot) standGuard();
  const posts = /** @type {Node[]} */ ([target, ...labelsOf(target)]);
  for (let root = rootOf(target); nodeTypeOf(root) === 11; root = rootOf(/** @type {ShadowRoot} */ (root).host)) posts.push(root);
  for (const post of posts) for (const type of guard.types) listen(post, type, onEvent);
  guard.posts = new Set(posts);
  if (guard.follow || guard.gesture === "hover" || guard.gesture === "wheel") return;
  witness.observe(document, WITNESSED);
  for (const post of posts) if (nodeTypeOf(post) === 11) witness.observe(post, WITNESSED);
  for (const el of [target, ...queryAll(target, "*").slice(0, ROOTS_ASKED)]) {
    const root = shadowOf(el);
    if (root) witness.observe(root, WITNESSED);
  }
}

/**
 * Makes our listener the last one just above the target and on the way from it to what is hit: a listener of the page
 * there, older than ours, may change the target too. Done at window, and once more above the target for listeners that
 * the page adds inside the event.
 * @param {Event} event
 */
function followUp(event) {
  const way = wayOf(guard.target ? hitOf(event) : pressIn(event), guard.target);
  const porch = way.length ? flatParentOf(way[way.length - 1]) : null;
  if (event.currentTarget === window) way.push(...(porch ? [porch] : []));
  else if (event.currentTarget !== porch) return;
  for (const el of way) {
    unlisten(el, event.type, onEvent);
    listen(el, event.type, onEvent);
    guard.posts.add(el);
  }
}

/** What happened while armed; the document is released. */
export function disarm() {
  const { events, answer, target, place } = guard;
  try {
    if (target && answer.last) closeTurn(answer, target, place, isAnother);
  } finally {
    release();
  }
  return { events, answered: answer.given };
}

/** @param {Event} event */
function onEvent(event) {
  if (guard.mode === "released" || !event.isTrusted) return;
  try {
    check(event);
  } catch {
    breakDown(event);
  }
}

/** What can't be judged goes no further, and nothing after it. @param {Event} event */
function breakDown(event) {
  guard.fault ??= "broken";
  swallow(event, "broken");
}

/** @param {Event} event */
function check(event) {
  if (guard.mode === "denied") return refuse(event, "denied", null);
  const isAway = guard.fault === "miss" || guard.fault === "detached" || guard.answer.relabelled !== null;
  if (isAway && isOwnSubmit(guard.answer, event)) return void note(event, true);
  if (guard.fault) return swallow(event, guard.fault);
  if (!guard.types.has(event.type)) return;
  const forbidden = guard.reached === event ? null : forbiddenIn(event, isHeldOn());
  if (forbidden) return refuse(event, "forbidden", forbidden);
  if (guard.gesture === "drag" && DROP_EVENTS.includes(event.type)) return onDrop(event);
  // What the page does about the pointer being there is its own work.
  if (guard.gesture === "hover" && guard.events.some((one) => one.pass)) return;
  if (!guard.target) return guard.gesture === "free" ? passFree(event) : refuse(event, "denied", null);
  guard.current = event;
  if (guard.reached === event) return checkOnward(event);
  const fault = faultOf(event);
  if (fault && isOwnSubmit(guard.answer, event)) return void note(event, true);
  // Listeners above the target had it, and moved the target away.
  if (isAstray(fault) && guard.records.get(event)?.pass) return overtake(event, true, fault);
  if (!fault) {
    if (event.currentTarget === window && (guard.gesture === "pointer" || guard.gesture === "keyboard")) awaitAnswer(guard.answer, event, guard.target, guard.place, isAnother);
    // Nothing of the target's own was left to scroll: the wheel is for those who listen.
    if (event.type === "wheel") event.preventDefault();
    followUp(event);
    if (event.currentTarget === hitOf(event)) {
      guard.reached = event;
      noteReached(guard.spot, event);
    }
    return void note(event, true);
  }
  if (guard.gesture === "keyboard" && SOFT_KEYBOARD.has(event.type) && fault === "miss") return swallow(event, fault);
  const cause = fault === "relabelled" || fault === "disabled" ? relabelledAt(guard.answer, event, guard.target, isAnother) : null;
  if (cause) return endPress(cause, event, fault);
  refuse(event, fault, hitOf(event));
}

/** Whether the pointer may be moved on while it is pressed. */
const isHeldOn = () => guard.gesture === "drag" || guard.gesture === "free";

/** Raw input that presses nothing a rule names. @param {Event} event */
function passFree(event) {
  guard.current = event;
  if (guard.reached === event) return;
  followUp(event);
  if (event.currentTarget === pressIn(event)) guard.reached = event;
  note(event, true);
}

/** The page made the target another in answer to what it got: what is left goes no further. @param {Event} cause @param {Event} event @param {Fault} fault */
function endPress(cause, event, fault) {
  guard.fault = fault;
  const record = note(cause, true);
  [record.late, record.reason] = [true, "answered"];
  tell(record);
  describeNow(record);
  swallow(event, fault);
}

/**
 * The target's own listeners run, and what they make of it is the event's effect: one that is left there still doesn't get
 * a target that says something else by now.
 * @param {Event} event
 */
function checkOnward(event) {
  const target = /** @type {Element} */ (guard.target);
  const at = event.currentTarget;
  const isOwn = at !== null && at !== window && flatHolds(target, /** @type {Node} */ (at));
  if (isOwn && hasChanged(target)) overtake(event, false);
}

/**
 * The target was relabelled or moved by a listener of the page that got the event, the target's own or one on the way to it: none
 * that is left gets it.
 * @param {Event} event @param {boolean} onTheWay @param {"relabelled" | "misplaced" | "shifted"} [fault]
 */
function overtake(event, onTheWay, fault = "relabelled") {
  stop(event);
  guard.fault ??= fault;
  const record = note(event, true);
  if (record.late) return;
  record.late = true;
  if (onTheWay) record.reason = fault === "relabelled" ? "intercepted" : fault;
  tell(record);
  if (fault === "relabelled") describeNow(record);
}

/** Comes before the next listener of an event runs, if the one before has changed anything. */
function onChanged() {
  const event = guard.current;
  if (guard.mode !== "armed" || guard.fault || !event || event.eventPhase === 0 || guard.reached === event) return;
  try {
    const forbidden = forbiddenIn(event, isHeldOn());
    if (forbidden) return refuse(event, "forbidden", forbidden);
    if (!guard.target) return;
    const fault = isConnected(guard.target) ? targetFault(guard.target) : "detached";
    const astray = fault ? null : placeFault(event, guard.spot);
    if (astray) return overtake(event, true, astray);
    if (!fault) return;
    // A listener above that changed it may have done by then what the click is for, or keeps the event to itself: what it
    // made of it nobody can say.
    if (event.cancelBubble || (event.type === "click" && fault === "relabelled")) return overtake(event, true);
    refuse(event, fault, null);
  } catch {
    breakDown(event);
  }
}

/** Stops an event after a failure, or a harmless stray one. @param {Event} event @param {Fault} reason */
function swallow(event, reason) {
  stop(event);
  note(event, false, reason);
  // Whoever had the press waits for its end.
  if (isAstray(reason) && guard.events.some((one) => one.type === "pointerdown" && one.pass)) cancelPress(event, hitOf(event));
}

/** The first failure: everything from here on is swallowed. @param {Event} event @param {Fault} reason @param {Element | null} hit */
function refuse(event, reason, hit) {
  stop(event);
  guard.fault ??= reason;
  const record = note(event, false, reason);
  // A button makes a click of it, which is what it is kept from.
  if (reason === "forbidden" && event instanceof KeyboardEvent && event.type === "keyup" && event.key === " ") record.type = "click";
  try {
    if (hit) record.hit = callName(hit);
  } catch {
    // It has been stopped: what it would have hit is told where it can be.
  }
  if (reason === "relabelled") describeNow(record);
}

/** Notes what the target says by now. @param {EventRecord} record */
function describeNow(record) {
  try {
    if (guard.target) record.now = saysNow(guard.target);
  } catch {} // As above.
}

/** One record per event, however many posts it passes; a later failure overrules. @param {Event} event @param {boolean} pass @param {Fault} [reason] @returns {EventRecord} */
function note(event, pass, reason) {
  let record = guard.records.get(event);
  if (!record) {
    record = { type: event.type, pass };
    guard.records.set(event, record);
    if (guard.events.length < EVENTS_TOLD) guard.events.push(record);
    if (pass) tell(record);
  }
  if (!pass) {
    const first = record.pass || !record.reason;
    record.pass = false;
    if (reason) record.reason = reason;
    if (first && reason !== "forbidden") markOver(event, record);
    if (first) tell(record);
    // The first failure is told however many came before it.
    if (first && guard.events.length === EVENTS_TOLD && !guard.events.includes(record)) guard.events.push(record);
  }
  return record;
}

/** Nobody gets what is left once the page has answered, and it is no failure. @param {Event} event @param {EventRecord} record */
function markOver(event, record) {
  const { answer, target, place } = guard;
  if (!target || isAstray(record.reason)) return;
  const isAway = record.reason === "miss" || record.reason === "detached";
  const isLeft = isAway ? isLeftOver(answer, event, target, place) : relabelledAt(answer, event, target, isAnother) !== null;
  if (!isLeft) return;
  record.over = true;
  handRelease(event);
}

/** Tells the outside at once: the document may be gone, or held by a dialog, before it is asked. @param {EventRecord} record */
function tell({ type, pass, late, over, reason }) {
  if (guard.mode === "armed") signalOut({ guard: { type, pass, late, over, reason } });
}

/** Why this event must not go on, or null. @param {Event} event @returns {Fault | null} */
function faultOf(event) {
  const target = /** @type {Element} */ (guard.target);
  if (!isConnected(target) || ownerOf(target) !== document) return "detached";
  if (guard.follow) return followFault(event, target);
  if (guard.gesture === "keyboard") {
    const fault = keyboardFault(event, target);
    if (fault) return fault;
  } else if (guard.gesture === "wheel") {
    if (!flatHolds(target, hitOf(event))) return "miss";
    return hasChanged(target) ? "relabelled" : null;
  } else if (!isHit(event, target)) return "miss";
  const astray = placeFault(event, guard.spot);
  if (astray) return astray;
  // The pointer may be put on what is disabled.
  if (guard.gesture === "hover") return hasChanged(target) ? "relabelled" : null;
  return targetFault(target);
}

/** Keys go where they themselves move the focus. @param {Event} event @param {Element} target @returns {Fault | null} */
function followFault(event, target) {
  const at = keyGoes(event, target);
  if (at === null || at === "miss") return at;
  return at === target && hasChanged(target) ? "relabelled" : null;
}

/** Whether a pointer event falls on the target. @param {Event} event @param {Element} target */
function isHit(event, target) {
  const hit = hitOf(event);
  if (belongs(hit, target, guard.place)) return true;
  return event.type === "click" && tagOf(target) === "label" && hit !== null && controlOf(target) === hit;
}

/** Whether an element isn't what it is held to any more. @param {Element} target @param {Held | null} [held] */
function hasChanged(target, held = guard.held) {
  return hasChangedFrom(guard, target, held);
}

/** Whether an element is disabled or isn't what it is held to any more. @param {Element} target */
const isAnother = (target) => targetFault(target) !== null;

/** Whether the target is still enabled and says what it said. @param {Element} target @returns {Fault | null} */
function targetFault(target) {
  if (isDisabled(target)) return "disabled";
  return hasChanged(target) ? "relabelled" : null;
}

/** Why a drag must not end in this event, or null. @param {Event} event @returns {Fault | null} */
const whyNotDrop = (event) => guard.end && dropFault(event, guard.end, guard.target, hasChanged);

/** Where a drag last was in this document, if it must not end there. @type {{reason: Fault, hit: Element | null} | null} */
let lastMove = null;

/** @param {Event} event */
function noteMove(event) {
  if (guard.mode !== "armed") return;
  if (guard.spot) notePointer(guard.spot, event);
  if (guard.end?.target) {
    try {
      const reason = whyNotDrop(event);
      lastMove = reason && { reason, hit: hitOf(event) };
    } catch {
      lastMove = { reason: "broken", hit: null };
    }
  }
}

/** Whether a drag must not end where it is now; then that is noted, and where it is let go instead is no matter. */
export function dragEnd() {
  if (guard.mode !== "armed" || !guard.end?.target || !lastMove) return false;
  const { reason, hit } = lastMove;
  guard.events.push({ type: "drop", pass: false, reason, hit: hit ? callName(hit) : undefined });
  guard.end = null;
  return true;
}

/** @param {Event} event */
function onDrop(event) {
  // Dropped as HTML has it: where the button comes up after that is no matter.
  if (event.type !== "drop" && guard.events.some((one) => one.type === "drop" && one.pass)) return;
  const fault = whyNotDrop(event);
  if (fault) return refuse(event, fault, hitOf(event));
  if (!guard.end) return;
  const target = elementOf(guard.end.target);
  // Behind the page's listeners on the way to it, which may yet change it.
  if (target && event.currentTarget === window) {
    unlisten(target, event.type, onEvent);
    listen(target, event.type, onEvent);
    guard.posts.add(target);
  }
  note(event, true);
}

/**
 * Called while the debugger is paused before a listener of one of the gesture's events: in documents entered late, and where
 * the target has several. Checks it as the listeners would and stops it when it is wrong. In a shadow tree `window.event` is
 * undefined: there it is the one that came by at window.
 * @returns {{seen: boolean, pass: boolean, reason?: string, type?: string}}
 */
export function checkPaused() {
  const { current } = guard;
  const event = window.event ?? (current?.eventPhase ? current : null);
  if (!event) return { seen: false, pass: false };
  if (guard.mode === "released" || !event.isTrusted) return { seen: true, pass: true, type: event.type };
  onEvent(event);
  const record = guard.records.get(event);
  return { seen: true, pass: (record?.pass ?? true) && !record?.late, reason: record?.reason, type: event.type };
}
