// Roles: WAI-ARIA's explicit ones, else those HTML-AAM gives the element.

import { attr, closestOf, controlOf, flatParentOf, has, isSvg, tagOf, queryAll, firstElementOf, nextElementOf, isHtml } from "../dom/dom.js";
import { isEditingHost, isFocusable } from "../dom/focus.js";
import { isListening } from "../dom/marks.js";
import { INPUT_ROLES, KNOWN_ROLES, MODULE_ROLES, OWNED_BY, TAG_ROLES } from "./role-tables.js";

/** Attributes that call a role "none" off, with focusability. */
const GLOBAL_ARIA = ["aria-atomic", "aria-busy", "aria-controls", "aria-current", "aria-describedby", "aria-details", "aria-dropeffect", "aria-flowto", "aria-grabbed", "aria-keyshortcuts", "aria-label", "aria-labelledby", "aria-live", "aria-owns", "aria-relevant", "aria-roledescription"];
const SECTIONING = "article, aside, main, nav, section, [role=article], [role=complementary], [role=main], [role=navigation], [role=region]";

/** The role an agent is shown. @param {Element} el @returns {string} */
export function roleOf(el) {
  const wish = attr(el, "role");
  const role = (wish && explicitRole(el, wish)) || implicitRole(el);
  return role === "generic" && has(el, "contenteditable") && isEditingHost(el) ? "textbox" : role;
}

/** The first usable token of a role attribute, or "". @param {Element} el @param {string} wish @returns {string} */
export function explicitRole(el, wish) {
  for (const token of wish.trim().toLowerCase().split(/\s+/)) {
    if (token === "none" || token === "presentation") return mustKeepRole(el) ? "" : "none";
    if (token === "image" || token === "img") return "img";
    if (token === "directory") return "list";
    if ((token === "form" || token === "region") && !hasAuthorName(el)) continue;
    if (KNOWN_ROLES.has(token) || MODULE_ROLES.has(token)) return token;
  }
  return "";
}

/** Whether "none" is ignored: the element can be focused or says something about itself. @param {Element} el */
function mustKeepRole(el) {
  return GLOBAL_ARIA.some((name) => has(el, name)) || isFocusable(el);
}

/** @param {Element} el */
export const hasAuthorName = (el) => Boolean(attr(el, "aria-label")?.trim() || has(el, "aria-labelledby") || attr(el, "title"));

/** Whether ARIA gives it a label. @param {Element} el */
export const isLabelled = (el) => has(el, "aria-label") || has(el, "aria-labelledby");

/** The role the host language gives. @param {Element} el @returns {string} */
export function implicitRole(el) {
  const tag = tagOf(el);
  if (isSvg(el)) return svgRole(el, tag);
  const fixed = TAG_ROLES.get(tag);
  if (fixed !== undefined) return OWNED_BY.has(tag) && isOrphan(el, tag) ? "generic" : fixed;
  const pick = PICK.get(tag);
  return pick ? pick(el) : "generic";
}

/** @param {Element} el @param {string} tag */
function svgRole(el, tag) {
  if (tag === "svg") return "img";
  if (tag === "a") return has(el, "href") || has(el, "xlink:href") ? "link" : "generic";
  if (tag === "image") return "img";
  return /^(circle|ellipse|rect|line|path|polygon|polyline)$/.test(tag) ? "graphics-symbol" : "generic";
}

/** Roles that depend on attributes or place. @type {Map<string, (el: Element) => string>} */
const PICK = new Map([
  ["a", (el) => (has(el, "href") || isListening(el) ? "link" : "generic")],
  ["area", (el) => (has(el, "href") ? "link" : "generic")],
  ["input", inputRole],
  ["select", (el) => (has(el, "multiple") || Number(attr(el, "size")) > 1 ? "listbox" : "combobox")],
  ["img", (el) => (attr(el, "alt") === "" && !hasAuthorName(el) && !isFocusable(el) ? "none" : "img")],
  ["header", (el) => (closestOf(el, SECTIONING) ? "generic" : "banner")],
  ["footer", (el) => (closestOf(el, SECTIONING) ? "generic" : "contentinfo")],
  ["aside", (el) => (closestOf(/** @type {Element} */ (flatParentOf(el) ?? el), "article, aside, nav, section") && !hasAuthorName(el) ? "generic" : "complementary")],
  ["section", (el) => (hasAuthorName(el) ? "region" : "generic")],
  ["form", (el) => (hasAuthorName(el) ? "form" : "generic")],
  ["td", cellRole],
  ["th", headerRole],
  ["tr", (el) => (tableRole(el) === "none" ? "generic" : "row")],
  ["thead", (el) => (tableRole(el) === "none" ? "generic" : "rowgroup")],
  ["tbody", (el) => (tableRole(el) === "none" ? "generic" : "rowgroup")],
  ["tfoot", (el) => (tableRole(el) === "none" ? "generic" : "rowgroup")],
  ["label", (el) => (controlOf(el) ? "label" : "generic")],
  ["summary", (el) => (isSummary(el) ? "button" : "generic")],
]);

/** Whether this summary opens its details. @param {Element} el */
export function isSummary(el) {
  const parent = flatParentOf(el);
  const details = parent && tagOf(parent) === "slot" ? flatParentOf(parent) : parent;
  return isHtml(details, "details") && queryAll(details, ":scope > summary")[0] === el;
}

/** @param {Element} el */
function inputRole(el) {
  const type = /** @type {HTMLInputElement} */ (el).type;
  if (type === "checkbox" && has(el, "aria-pressed")) return "button";
  if (has(el, "list") && /^(text|search|tel|url|email)$/.test(type)) return "combobox";
  return INPUT_ROLES.get(type) ?? "textbox";
}

/** The role of the table a cell or row belongs to: table, grid, treegrid or none. @param {Element} el */
export function tableRole(el) {
  const table = closestOf(el, "table");
  const wish = table && attr(table, "role");
  return (wish && table && explicitRole(table, wish)) || "table";
}

/** @param {Element} el */
function cellRole(el) {
  const role = tableRole(el);
  return role === "grid" || role === "treegrid" ? "gridcell" : role === "none" ? "generic" : "cell";
}

/** @param {Element} el */
function headerRole(el) {
  const role = tableRole(el);
  if (role === "none") return "generic";
  const scope = attr(el, "scope")?.toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const row = flatParentOf(el);
  if (row && tagOf(/** @type {Element} */ (flatParentOf(row) ?? row)) === "thead") return "columnheader";
  for (let c = row && firstElementOf(row); c; c = nextElementOf(c)) if (tagOf(c) === "td") return "rowheader";
  return "columnheader";
}

/** Whether a list item or the like stands outside its list, or in one declared "none". @param {Element} el @param {string} tag */
function isOrphan(el, tag) {
  const parents = /** @type {Set<string>} */ (OWNED_BY.get(tag));
  let parent = flatParentOf(el);
  while (parent && tagOf(parent) === "slot") parent = flatParentOf(parent);
  if (!parent) return true;
  const wish = attr(parent, "role");
  const role = (wish && explicitRole(parent, wish)) || "";
  if (role) return role !== "list" && role !== "group";
  return !parents.has(tagOf(parent));
}
