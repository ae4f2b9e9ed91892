// Where the caret stands, what is selected and what was copied: no mutation tells of any of it.

import { activeOf, afterTurn, bodyOf, flatHolds, isConnected, isElement, isHtml, listen, newRange, parentElementOf } from "../dom/dom.js";
import { editingHostOf } from "../dom/focus.js";
import { mutation } from "./mutated.js";
import { isSecret } from "../names/states.js";

/** Of a text that the caret stands in so much is counted, characters. */
const COUNTED = 100000;

/**
 * field: a field with a text and a caret of its own; place: start and end of what is selected there, UTF-16 units.
 * host: where text is edited in place; ends: anchor and focus of what is selected.
 * @typedef {{field: HTMLInputElement | null, place: [number, number] | null, host: Element | null, ends: [Node | null, number, Node | null, number]}} Caret
 */

/** As it was when the gesture began. @type {Caret | null} */
let before = null;
/** What was copied since. @type {{el: Element, text: string} | null} */
let copied = null;

/** The target that the gesture is aimed at; null: none, or a place. @type {Element | null} */
let pressAim = null;
/** Where it pressed and let go. @type {[number, number][]} */
let pressPlaces = [];
/** Whether it was a press that selects by itself: more than one, one with Shift, or a drag. */
let pressSelects = false;
/** So far from what is selected a press may be and still be on it, CSS pixels. */
const ON_TEXT = 2;

/** From here on a change is a gesture's. */
export function noteCaret() {
  before = caretNow();
  copied = null;
  pressPlaces = [];
  pressSelects = false;
  pressAim = null;
}

/** What the next press is for. @param {Element | null} el */
export const notePressFor = (el) => void (pressAim = el);

export function forgetCaret() {
  before = null;
  copied = null;
}

/** @returns {Caret} */
function caretNow() {
  const active = activeOf();
  const selection = getSelection();
  const host = active && editingHostOf(active);
  const ends = /** @type {Caret["ends"]} */ (selection ? [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset] : [null, 0, null, 0]);
  if (!active || !(isHtml(active, "input") || isHtml(active, "textarea"))) return { field: null, place: null, host, ends };
  const field = /** @type {HTMLInputElement} */ (active);
  const { selectionStart: start, selectionEnd: end } = field;
  return { field, place: start === null || end === null ? null : [start, end], host: null, ends };
}

/** What is different from when the gesture began. @returns {import("./mutated.js").Mutated[]} */
export function caretChanges() {
  if (!before) return [];
  const now = caretNow();
  const moved = copied ? mutation(copied.el, "clipboard", ["", copied.text], "input") : (inField(before, now) ?? inText(before, now));
  return moved ? [moved] : [];
}

/** Of another field the focus tells. @param {Caret} was @param {Caret} now */
function inField(was, now) {
  if (!now.field || now.field !== was.field || !now.place || !was.place) return null;
  const [from, to] = [was.place, now.place].map(([start, end]) => (start === end ? `${start}` : `${start}–${end}`));
  return from === to ? null : mutation(now.field, "caret", [from, to], "input");
}

/** @param {Caret} was @param {Caret} now */
function inText(was, now) {
  const selection = getSelection();
  if (now.field || !selection || now.ends.every((end, i) => end === was.ends[i])) return null;
  const [node, offset] = [now.ends[2], now.ends[3]];
  const el = isElement(node) ? node : node && parentElementOf(node);
  if (!el) return null;
  // Beside all text, a double press selects a line break.
  if (!selection.isCollapsed && pressSelects && !String(selection).trim()) return null;
  if (!selection.isCollapsed) return mutation(el, isElsewhere(selection, el) ? "selection elsewhere" : "selection", ["", String(selection)], "input");
  // A click on what isn't edited takes the selection away, and puts a caret there that nobody sees.
  if (!now.host || now.host !== was.host) return null;
  const [from, to] = [caretPlaceIn(now.host, was.ends[2], was.ends[3]), caretPlaceIn(now.host, node, offset)];
  return mutation(now.host, "caret", from === to ? ["", "moved"] : [from, to], "input");
}

/**
 * Whether what is selected lies neither in the target nor where was pressed: a press beside a text selects the nearest word.
 * @param {Selection} selection @param {Element} el where it ends
 */
function isElsewhere(selection, el) {
  if (!pressSelects || (pressAim && flatHolds(pressAim, el))) return false;
  const range = selection.getRangeAt(0);
  if (pressAim && range.intersectsNode(pressAim)) return false;
  const holds = (/** @type {DOMRect} */ r) => pressPlaces.some(([x, y]) => x >= r.left - ON_TEXT && x <= r.right + ON_TEXT && y >= r.top - ON_TEXT && y <= r.bottom + ON_TEXT);
  return ![...range.getClientRects()].some(holds);
}

/** @param {Event} event */
function notePress(event) {
  if (!before || !event.isTrusted) return;
  const { clientX: x, clientY: y, detail, shiftKey } = /** @type {MouseEvent} */ (event);
  if (detail > 1 || shiftKey || pressPlaces.some(([px, py]) => px !== x || py !== y)) pressSelects = true;
  pressPlaces.push([x, y]);
}

/** How many characters stand before a place; "": that isn't known. @param {Element} host @param {Node | null} node @param {number} offset */
function caretPlaceIn(host, node, offset) {
  if (!node || !isConnected(node)) return "";
  const range = newRange();
  try {
    range.setStart(host, 0);
    range.setEnd(node, offset);
  } catch {
    return "";
  }
  const { length } = String(range);
  return length > COUNTED ? "" : `${length}`;
}

/** A page may put something else on the clipboard than what is selected: what, it alone knows. @param {Event} event */
function noteCopy(event) {
  if (!before) return;
  const el = activeOf() ?? bodyOf(document);
  const text = selectedText();
  afterTurn(() => {
    if (before && el && (text || event.defaultPrevented)) copied = { el, text: event.defaultPrevented ? "" : text };
  });
}

function selectedText() {
  const { field, place } = caretNow();
  if (field && isSecret(field)) return "";
  return field && place ? field.value.slice(...place) : String(getSelection() ?? "");
}

for (const type of ["copy", "cut"]) listen(window, type, noteCopy);
for (const type of ["mousedown", "mouseup"]) listen(window, type, notePress);
