// What can take the keyboard focus, and what is editable or disabled.

import { attr, closestOf, flatParentOf, has, isMatch, tagOf, isContentEditableOf, isHtmlElement } from "./dom.js";

const FOCUSABLE_TAGS = new Set(["button", "select", "textarea", "summary", "iframe", "frame", "embed", "object"]);

/** Whether the element can be focused, by tabindex (any) or by nature. @param {Element} el @returns {boolean} */
export function isFocusable(el) {
  const index = attr(el, "tabindex");
  if (index !== null && /^\s*-?\d/.test(index)) return true;
  const tag = tagOf(el);
  if (tag === "a" || tag === "area") return has(el, "href");
  if (tag === "input") return /** @type {HTMLInputElement} */ (el).type !== "hidden" && !isDisabledNative(el);
  if (FOCUSABLE_TAGS.has(tag)) return !isDisabledNative(el);
  return isEditingHost(el);
}

/** Whether the control is disabled by the host language, a fieldset included. @param {Element} el @returns {boolean} */
export const isDisabledNative = (el) => isMatch(el, ":disabled");

/** Whether it is disabled, natively or by aria-disabled on it or above it. @param {Element} el @returns {boolean} */
export const isDisabled = (el) => isDisabledNative(el) || isAriaDisabled(el);

/** @param {Element} el */
function isAriaDisabled(el) {
  const said = closestOf(el, "[aria-disabled]");
  return said !== null && attr(said, "aria-disabled") === "true";
}

/** Whether editing starts at this element: contenteditable here, not above. @param {Element} el @returns {boolean} */
export function isEditingHost(el) {
  const mode = attr(el, "contenteditable");
  if (mode === null || /^false$/i.test(mode.trim())) return false;
  return isEditable(el) && !isEditable(flatParentOf(el));
}

/** Whether the element's text can be edited by the user as rich text. @param {Element | null} el @returns {boolean} */
export const isEditable = (el) => isHtmlElement(el) && isContentEditableOf(el);

/** The editing host above an element, or null. @param {Element} el @returns {Element | null} */
export function editingHostOf(el) {
  if (!isEditable(el)) return null;
  let at = el;
  for (let up = flatParentOf(at); up && isEditable(up); up = flatParentOf(at)) at = up;
  return at;
}
