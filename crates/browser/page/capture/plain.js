// The usual case, straight: rows and cells without attributes, links and buttons that hold one text, a switch and its text in
// a label. Most of a large page is that. Whatever is not exactly so takes the long way in walk.js, which gives the same.

import { controlOf, firstChildOf, hasAny, isMatch, isSvg, nextSiblingOf, nodeTypeOf, rectOf, tagOf, has } from "../dom/dom.js";
import { isLoneTarget, placeState, settleEntry } from "./entries.js";
import { isSelfChanging } from "../changes/cause.js";
import { ownLeads } from "./leads.js";
import { kindHint } from "../names/hints.js";
import { pageLink } from "./links.js";
import { sheetsIn } from "../dom/look.js";
import { CLASS, DRAG, HANDLER, HREF, isListening, scanAttributes, TAB } from "../dom/marks.js";
import { NOT, SURE } from "./operable.js";
import { LEAST_SIDE, isInView } from "../dom/place.js";
import { flushRun } from "../text/runs.js";
import { tidyText } from "../text/spacing.js";
import { DISABLED, FOCUSED, OFFSCREEN, statesOf } from "../names/states.js";
import { isReadable } from "../text/text.js";
import { SEEN } from "../dom/visible.js";

/** @typedef {import("./walk.js").Walk} Walk */
/** @typedef {import("./walk.js").Above} Above */
/** @typedef {import("./walk.js").Entry} Entry */
/** How the walk goes on below an element. @typedef {(walk: Walk, el: Element, tag: string, presence: number, below: Above) => void} VisitChildren */

/** Parts of a table and their roles. @type {Record<string, string>} */
const PART_ROLES = { tr: "row", td: "cell" };

/** What a link or button may say by attributes and yet be nothing but that. */
const STILL_PLAIN = CLASS | HREF | TAB | HANDLER | DRAG;

/** Whether an element was listed the short way. @param {Walk} walk @param {Element} el @param {string} tag @param {Above} above @param {VisitChildren} visitChildren @returns {boolean} */
export function visitPlain(walk, el, tag, above, visitChildren) {
  if (above.editable || walk.options.detail) return false;
  switch (tag) {
    case "td":
    case "tr":
      return visitPart(walk, el, tag, above, visitChildren);
    case "a":
    case "button":
      return visitTarget(walk, el, tag, above);
    case "label":
      return visitLabel(walk, el, above);
    default:
      return false;
  }
}

/** A row or cell of a table that says nothing of itself: listed when what is in it asks for it. @param {Walk} walk @param {Element} el @param {string} tag @param {Above} above @param {VisitChildren} visitChildren */
function visitPart(walk, el, tag, above, visitChildren) {
  if (!above.table || above.control || hasAny(el) || isListening(el, 0)) return false;
  if (!above.pointer && sheetsIn(walk.look, el, walk.tree).cursor) return false;
  flushRun(walk);
  const entry = entryOf(el, 1, PART_ROLES[tag], "", NOT, above);
  const index = walk.entries.push(entry) - 1;
  visitChildren(walk, el, tag, SEEN, { index, said: above.said, pointer: above.pointer, control: false, quiet: above.quiet, editable: false, bits: above.bits, label: above.label, table: true, item: false });
  flushRun(walk);
  if (tag === "tr") settleRow(walk, entry, index);
  else if (isLoneTarget(walk, index)) entry.dropped = true;
  else settleEntry(walk, index);
  return true;
}

/** A row is listed when there is more than one thing in it; it is where they are. @param {Walk} walk @param {Entry} row @param {number} index */
function settleRow(walk, row, index) {
  const { entries } = walk;
  let count = 0;
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = index + 1; i < entries.length; i++) {
    const { dropped, rect } = entries[i];
    if (dropped) continue;
    count++;
    if (!rect) continue;
    if (rect.left < left) left = rect.left;
    if (rect.top < top) top = rect.top;
    if (rect.right > right) right = rect.right;
    if (rect.bottom > bottom) bottom = rect.bottom;
  }
  if (count < 2) return void (row.dropped = true);
  if (left >= right) left = top = right = bottom = 0;
  row.rect = { left, top, right, bottom, x: left, y: top, width: right - left, height: bottom - top };
  if (!isInView(row.rect, walk.look.view)) row.states |= OFFSCREEN;
}

/** A link or button with nothing but one text in it. @param {Walk} walk @param {Element} el @param {string} tag @param {Above} above */
function visitTarget(walk, el, tag, above) {
  const bits = scanAttributes(el);
  // What stands in another control leads where that does.
  if (above.control || bits & ~STILL_PLAIN || (tag === "a" ? !(bits & HREF) : above.label)) return false;
  const facts = sheetsIn(walk.look, el, walk.tree);
  if (facts.pseudo || facts.transform || !tellsByBox(walk, facts)) return false;
  const child = firstChildOf(el);
  if (!child || nodeTypeOf(child) !== 3 || nextSiblingOf(child) || (tag === "a" && isSvg(el))) return false;
  const name = tidyText(/** @type {Text} */ (child).data.trim());
  if (!isReadable(name)) return false;
  const entry = entryOf(el, 2, tag === "a" ? "link" : "button", name, SURE, above);
  if (!place(walk, el, entry)) return false;
  flushRun(walk);
  if (tag === "button" && isMatch(el, ":disabled")) entry.states |= DISABLED;
  if (el === walk.active) entry.states |= FOCUSED;
  if (isSelfChanging(el, walk.look)) entry.extra = { selfChanging: true };
  if (tag === "a") {
    entry.extra = { ...entry.extra, href: pageLink(el, walk.look) };
    if (has(el, "download")) entry.extra.leads = ownLeads(el, tag);
    const hint = bits & CLASS || above.item ? kindHint(el) : "";
    if (hint) entry.extra.hint = hint;
  } else {
    const leads = ownLeads(el, tag);
    if (leads) entry.extra = { ...entry.extra, leads };
  }
  walk.entries.push(entry);
  return true;
}

/** A label that holds a switch and its text, in this order. @param {Walk} walk @param {Element} label @param {Above} above */
function visitLabel(walk, label, above) {
  if (above.control || above.quiet || hasAny(label) || isListening(label, 0)) return false;
  const facts = sheetsIn(walk.look, label, walk.tree);
  if (facts.pseudo || facts.transform || (facts.cursor && !above.pointer) || !tellsByBox(walk, facts)) return false;
  const control = /** @type {HTMLInputElement} */ (controlOf(label));
  if (!control || firstChildOf(label) !== control || tagOf(control) !== "input") return false;
  const text = nextSiblingOf(control);
  if (!text || nodeTypeOf(text) !== 3 || nextSiblingOf(text)) return false;
  const type = control.type;
  if ((type !== "checkbox" && type !== "radio") || scanAttributes(control) & ~CLASS || isListening(control, 0)) return false;
  const name = tidyText(/** @type {Text} */ (text).data);
  if (!isReadable(name)) return false;
  const entry = entryOf(control, 2, type, name, SURE, above);
  if (!place(walk, control, entry)) return false;
  flushRun(walk);
  entry.states |= statesOf(control, false, false);
  if (control === walk.active) entry.states |= FOCUSED;
  entry.extra = { type };
  walk.entries.push(entry);
  return true;
}

/** Whether an element with a box is to be seen, as far as style sheets go. @param {Walk} walk @param {import("../dom/sheets.js").SheetFacts} facts */
const tellsByBox = (walk, facts) => !facts.unseen && !facts.folded && walk.tree === document;

/** Where it is; false: it takes a longer look to tell. @param {Walk} walk @param {Element} el @param {Entry} entry */
function place(walk, el, entry) {
  const rect = rectOf(el);
  if (rect.width < LEAST_SIDE || rect.height < LEAST_SIDE) return false;
  entry.rect = rect;
  const state = placeState(walk, el, rect, entry);
  if (state !== 0 && state !== OFFSCREEN) return false;
  entry.states |= state;
  return true;
}

/** @param {Element} el @param {1 | 2} kind @param {string} role @param {string} name @param {number} sure @param {Above} above @returns {Entry} */
const entryOf = (el, kind, role, name, sure, above) => ({ el, parent: above.index, kind, role, name, value: null, states: above.bits, rect: null, extra: null, dropped: false, sure, by: "", key: "", was: -1, moved: null });
