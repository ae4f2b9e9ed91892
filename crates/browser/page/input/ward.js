// Targets that the rules deny by role and wording: what an event would press, and whether a rule names it.
//
// The rules are the engine's: they come as data, and there is no other rule here than that one of the texts of what takes
// the press must read so.

import { activeOf, attr, byId, closestOf, controlOf, flatHolds, flatParentOf, formOf, has, isConnected, queryAll, rootOf, tagOf } from "../dom/dom.js";
import { SAID_LIMIT, ownText } from "../capture/facts.js";
import { hitOf } from "./event-hit.js";
import { isNativeControl, isOperable, isSureControl } from "../capture/operable.js";
import { newLook } from "../dom/look.js";
import { nameOf } from "../names/names.js";
import { elementOf } from "../dom/numbers.js";
import { normalize, reads } from "../text/matching.js";
import { roleOf } from "../names/roles.js";
import { saidOf, wordlessHint } from "../text/said.js";

/** except: texts that a person agreed to. @typedef {{role?: string | null, wording: import("../text/matching.js").HeldText, except?: string[]}} TargetRule */
/** drag: a press that is held while the pointer moves on. @typedef {"pointer" | "drag" | "keys" | "enter"} PressBy */

/** Keys that leave what has the focus, or mean nothing by themselves. */
const IDLE_KEYS = new Set(["Tab", "Escape", "Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"]);
/** In these Enter sends no form: it presses them, or breaks a line. */
const NO_FIELDS = /^(button|submit|reset|image|file|color|hidden)$/;

/** The rules in force for the gesture under way. @type {TargetRule[]} */
let wardRules = [];

/** @param {TargetRule[] | null | undefined} some */
export function standWard(some) {
  wardRules = some ?? [];
}

/** What takes a press of an element by number, each with all that it is called. @param {number} n @param {PressBy} by */
export function pressedAt(n, by) {
  const el = elementOf(n);
  return el && isConnected(el) ? takersOf(el, by).map(calledOf) : [];
}

/** What an event of the gesture would press and a rule names. @param {Event} event @param {boolean} [isHeld] whether the pointer may move on while it is pressed @returns {Element | null} */
export function forbiddenIn(event, isHeld = false) {
  if (wardRules.length === 0) return null;
  if (event.type === "submit") {
    const by = /** @type {SubmitEvent} */ (event).submitter;
    return by && isRuledOut(by) ? by : null;
  }
  const hit = pressIn(event);
  if (!hit || (event instanceof KeyboardEvent && IDLE_KEYS.has(event.key))) return null;
  const byPointer = isHeld && /down$/.test(event.type) ? "drag" : "pointer";
  return forbiddenAt(hit, event instanceof MouseEvent ? byPointer : event instanceof KeyboardEvent && event.key === "Enter" ? "enter" : "keys");
}

/** What an event presses: keys, and the click that they make, what has the focus inside a closed tree of which they don't tell. @param {Event} event @returns {Element | null} */
export function pressIn(event) {
  const hit = hitOf(event);
  const isPointed = event instanceof MouseEvent && !(event.type === "click" && event.detail === 0);
  return hit && !isPointed ? (focusIn(hit) ?? hit) : hit;
}

/** The same of a press of an element. @param {Element} el @param {PressBy} by @returns {Element | null} */
export const forbiddenAt = (el, by) => (wardRules.length === 0 ? null : (takersOf(el, by).find(isRuledOut) ?? null));

/** What has the focus in what a key goes to: inside a closed tree the event doesn't tell. @param {Element} hit */
function focusIn(hit) {
  const active = activeOf();
  return active && flatHolds(hit, active) ? active : null;
}

/** @param {Element} el */
function isRuledOut(el) {
  const { role, words } = calledOf(el);
  const texts = words.length ? words : [""];
  return wardRules.some((rule) => (!rule.role || rule.role === role) && texts.some((text) => reads(rule.wording, text) && !isExcepted(rule, text)));
}

/** @param {TargetRule} rule @param {string} text */
const isExcepted = (rule, text) => (rule.except ?? []).some((agreed) => normalize(agreed) === normalize(text));

/** All that an element is called. @param {Element} el @returns {{role: string, words: string[]}} */
function calledOf(el) {
  const role = roleOf(el);
  const look = newLook(true);
  const name = nameOf(el, role, look);
  const said = saidOf(el, role, name, look, SAID_LIMIT);
  const isButton = tagOf(el) === "input" && /^(button|submit|reset|image)$/.test(/** @type {HTMLInputElement} */ (el).type);
  const all = [name, said?.text, ownText(el, role, look), isButton ? /** @type {HTMLInputElement} */ (el).value : null, attr(el, "title"), attr(el, "aria-label"), attr(el, "alt"), wordlessHint(el, name, said, look)];
  return { role, words: [...new Set(/** @type {string[]} */ (all.filter(Boolean)))] };
}

/** @param {Element} el @param {PressBy} by @returns {Element[]} */
function takersOf(el, by) {
  const takers = around(el);
  if (by === "pointer") return takers;
  takers.push(...choosable(el));
  if (by === "drag") return takers;
  const active = attr(el, "aria-activedescendant");
  const item = active ? byId(el, active) : null;
  if (item) takers.push(...around(item));
  const button = by === "enter" ? sendingButton(el) : null;
  if (button) takers.push(button);
  return takers;
}

/** The options that keys, or a pointer that is pressed and moved on, may come to choose: no event tells of which. @param {Element} el @returns {Element[]} */
function choosable(el) {
  const select = closestOf(el, "select");
  if (!select) return [];
  return queryAll(select, "option:not(:disabled)").filter((option) => !(/** @type {HTMLOptionElement} */ (option).selected));
}

/**
 * An element and what is around it and takes the press: whatever can be operated up to the first control, beyond it what
 * listens as a button or a link does; and what a label on the way activates.
 * @param {Element} el
 */
function around(el) {
  const takers = /** @type {Element[]} */ ([]);
  let inControl = false;
  for (let at = /** @type {Element | null} */ (el); at; at = flatParentOf(at)) {
    const tag = tagOf(at);
    if (tag === "body" || tag === "html") break;
    const takes = inControl ? isNativeControl(at, tag) || /^(button|link)$/.test(roleOf(at)) : at === el || isOperable(at);
    if (takes) takers.push(at);
    const control = tag === "label" ? controlOf(at) : null;
    if (control && !takers.includes(control)) takers.push(control);
    inControl ||= isSureControl(at);
  }
  return takers;
}

/** The button that Enter in a field sends its form by (HTML, "implicit submission"). @param {Element} el @returns {Element | null} */
function sendingButton(el) {
  if (tagOf(el) !== "input" || NO_FIELDS.test(/** @type {HTMLInputElement} */ (el).type)) return null;
  const form = formOf(el);
  if (!form) return null;
  const buttons = queryAll(rootOf(el), "button, input[type=submit i], input[type=image i]");
  const sends = (/** @type {Element} */ at) => formOf(at) === form && (tagOf(at) === "input" || !has(at, "type") || /** @type {HTMLButtonElement} */ (at).type === "submit");
  return buttons.find(sends) ?? null;
}
