// States as a bit mask, and values. The bits are the contract with Rust; never renumber.

import { attr, has, isMatch, tagOf, textContentOf, parentElementOf, innerTextOf, isHtml } from "../dom/dom.js";
import { isDisabledNative, isEditable } from "../dom/focus.js";

export const DISABLED = 1;
export const CHECKED = 2;
export const MIXED = 4;
export const SELECTED = 8;
export const EXPANDED = 16;
export const COLLAPSED = 32;
export const REQUIRED = 64;
export const READONLY = 128;
export const INVALID = 256;
export const FOCUSED = 512;
export const COVERED = 1024;
export const OFFSCREEN = 2048;
export const HIDDEN = 4096;
export const PRESSED = 8192;
export const BUSY = 16384;
export const EDITABLE = 32768;
export const MULTIPLE = 65536;
export const POPUP = 131072;
export const CURRENT = 262144;
export const MODAL = 524288;

/** Longest value reported, in characters. */
const VALUE_LIMIT = 10000;
const CONTROLS = new Set(["button", "input", "select", "textarea", "fieldset", "option", "optgroup"]);

/** aria-* attributes and the bits they set. @type {[string, (value: string) => number][]} */
const ARIA_BITS = [
  ["aria-disabled", (v) => (v === "true" ? DISABLED : 0)],
  ["aria-checked", (v) => (v === "true" ? CHECKED : v === "mixed" ? MIXED : 0)],
  ["aria-selected", (v) => (v === "true" ? SELECTED : 0)],
  ["aria-expanded", (v) => (v === "true" ? EXPANDED : v === "false" ? COLLAPSED : 0)],
  ["aria-required", (v) => (v === "true" ? REQUIRED : 0)],
  ["aria-readonly", (v) => (v === "true" ? READONLY : 0)],
  ["aria-invalid", (v) => (v && v !== "false" ? INVALID : 0)],
  ["aria-pressed", (v) => (v === "true" ? PRESSED : v === "mixed" ? PRESSED | MIXED : 0)],
  ["aria-busy", (v) => (v === "true" ? BUSY : 0)],
  ["aria-multiselectable", (v) => (v === "true" ? MULTIPLE : 0)],
  ["aria-haspopup", (v) => (v && v !== "false" ? POPUP : 0)],
  ["aria-current", (v) => (v && v !== "false" ? CURRENT : 0)],
  ["aria-modal", (v) => (v === "true" ? MODAL : 0)],
  ["aria-hidden", (v) => (v === "true" ? HIDDEN : 0)],
];

/** The states an element has of itself; place and cover are added by the walk. @param {Element} el @param {boolean} [aria] whether it has aria-* attributes @param {boolean} [editable] whether it is rich text @returns {number} */
export function statesOf(el, aria = true, editable = isEditable(el)) {
  const tag = tagOf(el);
  let bits = 0;
  if (aria) for (const [name, bit] of ARIA_BITS) {
    const value = attr(el, name);
    if (value !== null) bits |= bit(value.trim().toLowerCase());
  }
  if (CONTROLS.has(tag)) bits |= controlStates(el, tag);
  else if (tag === "summary") bits |= isOpenDetails(parentElementOf(el)) ? EXPANDED : COLLAPSED;
  else if (tag === "details") bits |= /** @type {HTMLDetailsElement} */ (el).open ? EXPANDED : COLLAPSED;
  else if (tag === "dialog") bits |= isMatch(el, ":modal") ? MODAL : 0;
  else if (editable) bits |= EDITABLE;
  return bits;
}

/** @param {Element | null} el */
const isOpenDetails = (el) => isHtml(el, "details") && el.open;

/** @param {Element} el @param {string} tag */
function controlStates(el, tag) {
  let bits = isDisabledNative(el) ? DISABLED : 0;
  if (tag === "input") return bits | inputStates(/** @type {HTMLInputElement} */ (el));
  if (tag === "select") {
    const select = /** @type {HTMLSelectElement} */ (el);
    bits |= (select.multiple ? MULTIPLE : 0) | (select.required ? REQUIRED : 0) | POPUP * Number(!select.multiple && select.size <= 1);
  } else if (tag === "textarea") {
    const area = /** @type {HTMLTextAreaElement} */ (el);
    bits |= (area.required ? REQUIRED : 0) | (area.readOnly ? READONLY : 0);
  } else if (tag === "option" && /** @type {HTMLOptionElement} */ (el).selected) bits |= SELECTED;
  return has(el, "required") || tag === "textarea" || tag === "select" ? bits | userInvalid(el) : bits;
}

/** @param {HTMLInputElement} el */
function inputStates(el) {
  let bits = 0;
  const type = el.type;
  if (type === "checkbox" || type === "radio") {
    if (el.indeterminate && type === "checkbox") bits |= MIXED;
    else if (el.checked) bits |= CHECKED;
  } else if (el.readOnly) bits |= READONLY;
  if (el.required) bits |= REQUIRED;
  if (el.multiple) bits |= MULTIPLE;
  return bits | userInvalid(el);
}

/** Invalid as the browser shows it: only after the user has had a go. @param {Element} el */
const userInvalid = (el) => (isMatch(el, ":user-invalid") ? INVALID : 0);

const NO_VALUE = new Set(["button", "submit", "reset", "image", "checkbox", "radio", "hidden"]);

/**
 * The value of a control: what it holds, not what a form would send. Passwords are masked.
 * @param {Element} el @param {string} role @param {boolean} [editable] whether it is rich text @returns {string | null}
 */
export function valueOf(el, role, editable = isEditable(el)) {
  const tag = tagOf(el);
  if (isSecret(el)) return mask(el);
  if (tag === "input") return inputValue(/** @type {HTMLInputElement} */ (el));
  if (tag === "textarea") return clip(/** @type {HTMLTextAreaElement} */ (el).value);
  if (tag === "select") {
    const labels = [];
    for (const option of /** @type {HTMLSelectElement} */ (el).selectedOptions) labels.push(option.label.trim());
    return clip(labels.join(", "));
  }
  if (tag === "progress" || tag === "meter") return String(/** @type {HTMLMeterElement} */ (el).value);
  if (editable) return clip(innerTextOf(el).replace(/\n+$/, ""));
  if (role === "textbox" || role === "searchbox") return clip(textContentOf(el));
  if (/^(slider|spinbutton|scrollbar|progressbar|meter)$/.test(role)) return attr(el, "aria-valuetext") ?? attr(el, "aria-valuenow");
  return null;
}

/** @param {HTMLInputElement} el @returns {string | null} */
function inputValue(el) {
  const type = el.type;
  if (NO_VALUE.has(type)) return null;
  if (type === "file") return [...(el.files ?? [])].map((file) => file.name).join(", ");
  return clip(el.value);
}

/** Fields that were for passwords once, such as one whose text a page shows. @type {WeakSet<Element>} */
const secrets = new WeakSet();

/** Whether an element holds a password. @param {Element} el */
export function isSecret(el) {
  if (tagOf(el) !== "input") return false;
  if (/** @type {HTMLInputElement} */ (el).type === "password" || /\b(current|new)-password\b/i.test(attr(el, "autocomplete") ?? "")) secrets.add(el);
  return secrets.has(el);
}

/** No more than that there is something. @param {Element} el */
export const mask = (el) => "•".repeat(Math.min(/** @type {HTMLInputElement} */ (el).value.length, 8));

/** @param {string} text */
const clip = (text) => (text.length > VALUE_LIMIT ? `${text.slice(0, VALUE_LIMIT)}…` : text);
