// Accessible names: Accessible Name and Description Computation 1.2, with HTML-AAM's and
// SVG-AAM's sources. Where the standard leaves room (white space, what a hidden label says)
// this follows Chrome, so that names agree with what assistive technology reads there.

import { attr, byId, closestOf, has, ownerOf, tagOf, labelledByOf, documentElementOf, textContentOf } from "../dom/dom.js";
import { withoutGlyphs } from "../text/glyphs.js";
import { newLook } from "../dom/look.js";
import { contentText } from "./content.js";
import { embeddedValue, nativeName, nativeTooltip } from "./native.js";
import { standIn } from "./labels.js";
import { roleOf } from "./roles.js";
import { NAMED_BY_CONTENT } from "./role-tables.js";
import { tidyText } from "../text/spacing.js";
import { comesByPointing } from "../dom/user-action.js";
import { presenceIn, GONE, SEEN, isVisible } from "../dom/visible.js";

/**
 * Where a computation stands.
 * @typedef {object} Trace
 * @property {import("../dom/look.js").Look} look
 * @property {Set<Element>} seen each element is read once
 * @property {boolean} inRef inside an aria-labelledby reference: no further ones are followed
 * @property {boolean} hiddenOk the referenced element was hidden, so what is hidden in it counts
 * @property {(el: Element, trace: Trace, isRoot?: boolean) => string} part what another element contributes to the name; passed on, since that asks in turn for what is inside it
 * @property {boolean} [mixed] something in it says other than what it shows, or shows what is not said
 * @property {boolean} [inLabel] reading a <label> for its control
 * @property {number} [depth] how deep in the element that is read
 */

/**
 * The name without asking whether the element is hidden: for one known to be shown, and for a
 * hidden control that is operated by its visible label.
 * @param {Element} el @param {string} role @param {import("../dom/look.js").Look} look @returns {string}
 */
export function nameRegardless(el, role, look) {
  const known = look.names.get(el);
  if (known !== undefined) return known;
  const name = tidyText(ownName(el, role, { look, seen: new Set(), inRef: false, hiddenOk: false, part: partText }));
  look.names.set(el, name);
  return name;
}

/** The accessible name; what is hidden from assistive technology has none. @param {Element} el @param {string} [role] @param {import("../dom/look.js").Look} [look] @returns {string} */
export function nameOf(el, role = roleOf(el), look = newLook()) {
  return isHiddenAnyhow(el) ? "" : nameRegardless(el, role, look);
}

/** The name of the element the computation began at. @param {Element} el @param {string} role @param {Trace} trace */
function ownName(el, role, trace) {
  const authored = referenced(el, trace) || ariaLabel(el);
  if (authored) return authored;
  if (role === "none") return "";
  trace.seen.add(el);
  const native = nativeName(el, trace);
  if (native !== null) return native;
  if (NAMED_BY_CONTENT.has(role) || (role === "row" && closestOf(el, "[role=grid], [role=treegrid]"))) {
    const text = withoutGlyphs(contentText(el, trace, SEEN)).trim();
    if (text) {
      if (!trace.mixed) trace.look.plain.add(el);
      return text;
    }
  }
  return nativeTooltip(el, role);
}

/** aria-label, or "" when it says nothing. A slot isn't exposed, so neither is its label. @param {Element} el */
function ariaLabel(el) {
  const label = attr(el, "aria-label");
  return label?.trim() && tagOf(el) !== "slot" ? label : "";
}

/** The text of what aria-labelledby points at, or "". @param {Element} el @param {Trace} trace @returns {string} */
function referenced(el, trace) {
  if (trace.inRef || !has(el, "aria-labelledby")) return "";
  const parts = [];
  for (const target of labellers(el)) {
    const hiddenOk = isHiddenAnyhow(target);
    const part = partText(target, { look: trace.look, seen: trace.seen.size ? trace.seen : new Set(), inRef: true, hiddenOk, part: partText }, true);
    if (part.trim()) parts.push(tidyText(part));
  }
  return parts.join(" ");
}

/** The elements aria-labelledby names: by id, or set as elements by a script. @param {Element} el @returns {Element[]} */
function labellers(el) {
  const ids = (attr(el, "aria-labelledby") ?? "").trim();
  if (!ids) return labelledByOf(el);
  /** @type {Element[]} */
  const found = [];
  for (const id of ids.split(/\s+/)) {
    const target = byId(el, id);
    if (target) found.push(target);
  }
  return found;
}

/** The element that is drawn in place of one that has no box by nature. @param {Element} el @returns {Element} */
function drawnBy(el) {
  const tag = tagOf(el);
  if (tag === "option" || tag === "optgroup") return closestOf(el, "select") ?? el;
  return tag === "area" ? (documentElementOf(ownerOf(el)) ?? el) : el;
}

/** Whether an element is hidden, in whatever way, from people or from assistive technology: it, and the labels that it is operated by. @param {Element} el */
function isHiddenAnyhow(el) {
  const isAside = (/** @type {Element} */ one) => closestOf(one, "[aria-hidden=true]") !== null;
  if (isVisible(drawnBy(el))) return isAside(el);
  const shown = standIn(el);
  return shown === el || isAside(shown);
}

/**
 * What an element contributes to the name of another.
 * @param {Element} el @param {Trace} trace @param {boolean} [isRoot] the element a reference or label points at
 * @returns {string}
 */
function partText(el, trace, isRoot = false) {
  if (trace.seen.has(el) || (trace.look.rest && !isRoot && comesByPointing(trace.look, el, textContentOf(el)))) return "";
  const presence = trace.hiddenOk ? SEEN : presenceIn(trace.look, el);
  if (!trace.hiddenOk && !isRoot && (presence === GONE || attr(el, "aria-hidden") === "true")) {
    trace.mixed ||= presence !== GONE;
    return "";
  }
  trace.seen.add(el);
  const byReference = referenced(el, trace);
  const role = roleOf(el);
  const value = byReference ? null : embeddedValue(el, role, trace);
  const label = byReference || value || ariaLabel(el);
  if (label) {
    trace.mixed = true;
    return label;
  }
  if (role !== "none") {
    const native = nativeName(el, trace);
    if (native !== null) {
      trace.mixed ||= !isImage(el);
      return native;
    }
  }
  const text = value !== null || (!isRoot && !trace.inRef && isMute(el, role)) ? "" : contentText(el, trace, presence);
  if (text.trim()) return text;
  return nativeTooltip(el, role) || (isRoot && trace.inRef && attr(el, "title")) || text;
}

/** Containers of targets: a name that comes from content passes over what is in them. */
const MUTE_ROLES = new Set(["listbox", "tree", "treegrid", "menu", "menubar", "tablist", "radiogroup", "grid", "group", "toolbar", "dialog", "alertdialog", "img", "separator"]);

/** Whether the content of a descendant doesn't count. @param {Element} el @param {string} role */
const isMute = (el, role) => MUTE_ROLES.has(role) && (has(el, "role") || tagOf(el) === "fieldset");

/** What it says is all there is of it to read. @param {Element} el */
const isImage = (el) => tagOf(el) === "img";
