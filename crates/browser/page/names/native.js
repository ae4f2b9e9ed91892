// Names the host language gives: labels, alt, legend, caption, the value of a button, SVG title.

import { attr, firstChildOf, has, isElement, isSvg, nextSiblingOf, tagOf, textContentOf, nextElementOf, queryAll } from "../dom/dom.js";
import { labelsOf } from "./labels.js";
import { isFocusable } from "../dom/focus.js";
import { sheetsIn } from "../dom/look.js";
import { CLASS, scanAttributes, TOLD } from "../dom/marks.js";
import { contentText } from "./content.js";
import { tidyText } from "../text/spacing.js";
import { isSecret, mask } from "./states.js";
import { SEEN, isVisibleIn, presenceIn } from "../dom/visible.js";

const LABELABLE = new Set(["button", "input", "meter", "output", "progress", "select", "textarea"]);

/**
 * The name an element has by its markup; null when it has none and the next source is asked.
 * @param {Element} el @param {import("./names.js").Trace} trace @returns {string | null}
 */
export function nativeName(el, trace) {
  const tag = tagOf(el);
  if (isSvg(el)) return svgName(el, tag);
  if (LABELABLE.has(tag)) {
    const label = labelText(el, trace);
    if (label) return label;
  }
  switch (tag) {
    case "input":
      return inputName(/** @type {HTMLInputElement} */ (el));
    case "img":
    case "area":
      return attr(el, "alt")?.trim() ? attr(el, "alt") : null;
    case "fieldset":
      return childName(el, "legend", trace);
    case "table":
      return childName(el, "caption", trace) ?? (attr(el, "summary")?.trim() || null);
    case "optgroup":
    case "option":
    case "track":
      return attr(el, "label")?.trim() || null;
    default:
      return null;
  }
}

/** Last resorts before and beside title. @param {Element} el @param {string} role @returns {string} */
export function nativeTooltip(el, role) {
  const tag = tagOf(el);
  const title = attr(el, "title");
  if (title?.trim() && takesTitle(el, tag, role)) return title;
  if (tag === "input") {
    const type = /** @type {HTMLInputElement} */ (el).type;
    if (type === "image") return "Submit";
    if (type === "file") return "Choose File";
    if (/^(checkbox|radio|range|color|button|submit|reset)$/.test(type)) return "";
  }
  if (tag === "input" || tag === "textarea") return (attr(el, "placeholder") || attr(el, "aria-placeholder")) ?? "";
  return role === "textbox" || role === "searchbox" || role === "generic" || role === "combobox" ? (attr(el, "aria-placeholder") ?? "") : "";
}

/** Roles whose title is a description only: they are not named at all. */
const UNTITLED = new Set(["generic", "none", "paragraph", "strong", "emphasis", "code", "time", "mark", "deletion", "insertion", "subscript", "superscript"]);

/** Whether a title names the element. @param {Element} el @param {string} tag @param {string} role */
const takesTitle = (el, tag, role) => !UNTITLED.has(role) || /^(abbr|kbd|label|li)$/.test(tag) || isFocusable(el);

/** @param {HTMLInputElement} el @returns {string | null} */
function inputName(el) {
  const type = el.type;
  if (type === "button" || type === "submit" || type === "reset") {
    const value = el.value;
    if (value) return value;
    if (has(el, "value") || type === "button") return null;
    return type === "reset" ? "Reset" : "Submit";
  }
  if (type === "image") return attr(el, "alt")?.trim() ? attr(el, "alt") : (attr(el, "value")?.trim() ?? null) || null;
  return null;
}

/** The text of a control's labels, without the control itself. @param {Element} el @param {import("./names.js").Trace} trace */
function labelText(el, trace) {
  const parts = [];
  for (const label of labelsOf(el)) {
    if (trace.seen.has(label)) continue;
    if (!isVisibleIn(trace.look, label) && !trace.hiddenOk) continue;
    if (attr(label, "aria-hidden") === "true") continue;
    const part = plainLabelText(label, el, trace.look) || tidyText(trace.part(label, { look: trace.look, seen: new Set([el]), inRef: trace.inRef, hiddenOk: trace.hiddenOk, part: trace.part, inLabel: true }, true));
    if (part) parts.push(part);
  }
  return parts.join(" ");
}

/** The text of a label that has only text behind its field, as most have; "" when the long way must be gone. @param {Element} label @param {Element} el @param {import("../dom/look.js").Look} look */
function plainLabelText(label, el, look) {
  if (tagOf(el) !== "input" || firstChildOf(label) !== el || nextElementOf(el)) return "";
  const facts = sheetsIn(look, label);
  if (facts.pseudo || facts.transform || scanAttributes(label) & ~(CLASS | TOLD) || presenceIn(look, label) !== SEEN) return "";
  return tidyText(textContentOf(label));
}

/** The text of the first child with a tag. @param {Element} el @param {string} tag @param {import("./names.js").Trace} trace @returns {string | null} */
function childName(el, tag, trace) {
  for (let c = firstChildOf(el); c; c = nextSiblingOf(c)) {
    if (isElement(c) && tagOf(c) === tag) return trace.part(c, { ...trace, seen: new Set(trace.seen) }, true).trim() || null;
  }
  return null;
}

/** SVG: the title child, else the link's xlink:title, else the text inside. @param {Element} el @param {string} tag @returns {string | null} */
function svgName(el, tag) {
  for (let c = firstChildOf(el); c; c = nextSiblingOf(c)) {
    if (isElement(c) && tagOf(c) === "title") {
      const text = tidyText(textContentOf(c));
      if (text) return text;
    }
  }
  if (tag === "a") return attr(el, "xlink:title")?.trim() || null;
  return null;
}

/**
 * The value a control inside another's label stands for, or null when it is not such a control.
 * @param {Element} el @param {string} role @param {import("./names.js").Trace} trace @returns {string | null}
 */
export function embeddedValue(el, role, trace) {
  const tag = tagOf(el);
  if (tag === "select" && (role === "combobox" || role === "listbox")) return chosenText(/** @type {HTMLSelectElement} */ (el), trace);
  switch (role) {
    case "textbox":
    case "searchbox":
      return typedText(el, tag, trace);
    case "combobox":
    case "listbox":
      return tag === "input" ? typedText(el, tag, trace) : chosenOption(el, trace);
    case "slider":
    case "spinbutton":
    case "scrollbar":
    case "progressbar":
    case "meter":
      return rangeValue(el, tag);
    default:
      return null;
  }
}

/** @param {Element} el @param {string} tag @param {import("./names.js").Trace} trace */
function typedText(el, tag, trace) {
  if (tag !== "input" && tag !== "textarea") return contentText(el, trace, SEEN);
  const field = /** @type {HTMLInputElement} */ (el);
  return isSecret(field) ? mask(field) : field.value;
}

/** @param {Element} el @param {string} tag */
function rangeValue(el, tag) {
  const said = attr(el, "aria-valuetext") ?? attr(el, "aria-valuenow");
  if (said !== null) return said;
  if (isSecret(el)) return mask(el);
  if (tag === "input" || tag === "progress" || tag === "meter") return String(/** @type {HTMLInputElement} */ (el).value);
  return "";
}

/** @param {HTMLSelectElement} el @param {import("./names.js").Trace} trace */
function chosenText(el, trace) {
  const out = [];
  for (const option of el.selectedOptions) out.push(attr(option, "aria-label")?.trim() || option.label);
  return trace.hiddenOk && !out.length ? "" : out.join(" ");
}

/** @param {Element} el @param {import("./names.js").Trace} trace */
function chosenOption(el, trace) {
  const out = [];
  for (const option of queryAll(el, "[role=option][aria-selected=true]")) out.push(tidyText(trace.part(option, trace)));
  if (out.length) return out.join(" ");
  return attr(el, "role") === "combobox" && !queryAll(el, "[role=listbox], [role=option]").length ? contentText(el, trace, SEEN) : "";
}
