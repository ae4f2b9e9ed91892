// What a person can operate, and how sure that is.

import { attr, closestOf, classOf, has, isSvg, tagOf } from "../dom/dom.js";
import { isEditingHost } from "../dom/focus.js";
import { CLASS, DRAG, EDIT, isListening, ROLE, scanAttributes, TAB } from "../dom/marks.js";
import { explicitRole, isSummary } from "../names/roles.js";
import { WIDGET_ROLES } from "../names/role-tables.js";

/** Not operable of itself. */
export const NOT = 0;
/** Perhaps: a mark that also regions carry (listener, tabindex, draggable). It counts when nothing operable is inside. */
export const PERHAPS = 1;
/** A control by nature or by role. */
export const SURE = 2;

/** A control by its tag. @param {Element} el @param {string} tag */
export function isNativeControl(el, tag) {
  switch (tag) {
    case "button":
    case "select":
    case "textarea":
      return true;
    case "input":
      return /** @type {HTMLInputElement} */ (el).type !== "hidden";
    case "a":
    case "area":
      return has(el, "href") || (isSvg(el) && has(el, "xlink:href"));
    case "summary":
      return isSummary(el);
    case "audio":
    case "video":
      return has(el, "controls");
    default:
      return false;
  }
}

const HANDLE = /(^|[\s_-])(handle|slider|resiz\w*|thumb|knob|grip|splitter|gutter)([\s_-]|$)/i;
/** Marks that widely used libraries leave on what they make draggable. */
const DRAG_MARK = /(^|\s)(ui-sortable-handle|ui-draggable-handle|ui-resizable-handle|ui-slider-handle|sortable-item|draggable)(\s|$)/;

/**
 * How operable an element is, by everything but its cursor.
 * @param {Element} el @param {string} tag @param {number} bits of scanAttributes
 * @returns {0|1|2}
 */
export function operability(el, tag, bits) {
  if (isNativeControl(el, tag)) return SURE;
  if (bits & ROLE) {
    const role = explicitRole(el, /** @type {string} */ (attr(el, "role")));
    if (WIDGET_ROLES.has(role)) return SURE;
    if (role === "gridcell" && (bits & TAB || isListening(el, bits))) return SURE;
  }
  if (bits & EDIT && tag !== "body" && tag !== "html" && isEditingHost(el)) return SURE;
  if (tag === "html" || tag === "body") return NOT;
  if (isListening(el, bits)) return PERHAPS;
  if (bits & TAB && Number.parseInt(attr(el, "tabindex") ?? "", 10) >= 0) return PERHAPS;
  if (bits & DRAG && attr(el, "draggable")?.toLowerCase() === "true") return PERHAPS;
  if (bits & CLASS && DRAG_MARK.test(classOf(el))) return PERHAPS;
  return NOT;
}

/** Whether tabindex alone is a good reason: a handle or the like. @param {Element} el */
export const isHandle = (el) => HANDLE.test(classOf(el));

/** Quick form for one element, without layout. @param {Element} el */
export const isOperable = (el) => operability(el, tagOf(el), scanAttributes(el)) !== NOT;

/** Whether it is a control by nature or role. @param {Element} el */
export const isSureControl = (el) => operability(el, tagOf(el), scanAttributes(el)) === SURE;

/** Whether it stands inside a control by nature or role. @param {Element} el */
export const isInsideControl = (el) => closestOf(el, "a[href], button, summary, [role=button], [role=link], [role=option], [role=menuitem], [role=tab], [role=checkbox], [role=radio]") !== null;
