// facts(): everything about one element, fresh, for expectations and receipts.

import { attr, flatChildrenOf, formOf, has, isConnected, isElement, isMatch, nodeTypeOf, tagOf, activeOf, queryAll, flatParentOf, textContentOf, innerTextOf, encloses, isHtmlElement } from "../dom/dom.js";
import { boxOf } from "../dom/areas.js";
import { testIdOf } from "./extra.js";
import { editingHostOf, isDisabled, isEditable } from "../dom/focus.js";
import { linkOf } from "./links.js";
import { newLook, viewNow } from "../dom/look.js";
import { nameOf } from "../names/names.js";
import { elementOf, numberOf } from "../dom/numbers.js";
import { isOperable, isSureControl } from "./operable.js";
import { isInView } from "../dom/place.js";
import { leadsOf } from "./leads.js";
import { modalOver } from "../dom/modal.js";
import { roleOf } from "../names/roles.js";
import { rowFacts } from "./rows.js";
import { besidesLists, saidOf, wordlessHint } from "../text/said.js";
import { tidyText } from "../text/spacing.js";
import { DISABLED, FOCUSED, HIDDEN, OFFSCREEN, statesOf, valueOf } from "../names/states.js";
import { comesByPointing, newRest } from "../dom/user-action.js";
import { isVisible } from "../dom/visible.js";
import { xpathOf } from "../dom/xpath.js";

/** Longest text reported, in characters. */
const TEXT_LIMIT = 2000;
/** So many options are told, and as many that are chosen behind them. */
const OPTION_LIMIT = 5000;
/** More of what it shows than a look tells: a counter in it may have grown. */
export const SAID_LIMIT = 600;
/** How many descendants are asked whether they are targets before a container is taken for one with targets. */
const INSIDE_LIMIT = 400;

/** Facts by number. @param {number} n */
export function facts(n) {
  const el = elementOf(n);
  return el && isConnected(el) ? factsOf(el) : null;
}

/** @param {Element} el */
export function factsOf(el) {
  const tag = tagOf(el);
  const role = roleOf(el);
  const rect = boxOf(el);
  const look = newLook(true);
  const name = nameOf(el, role, look);
  const said = saidOf(el, role, name, look, SAID_LIMIT);
  const disabled = isDisabled(el);
  let states = statesOf(el) | (disabled ? DISABLED : 0) | (isInView(rect, viewNow()) ? 0 : OFFSCREEN);
  if (activeOf() === el) states |= FOCUSED;
  if (isAside(el)) states |= HIDDEN;
  return {
    n: numberOf(el),
    role,
    name,
    text: ownText(el, role, look),
    value: valueOf(el, role),
    placeholder: attr(el, "placeholder") ?? attr(el, "aria-placeholder"),
    title: attr(el, "title"),
    alt: attr(el, "alt"),
    said,
    rest: atRest(el, role),
    hint: wordlessHint(el, name, said, isPointed(el) ? newLook(true, newRest(el)) : look) || null,
    leads: leadsOf(el) ?? {},
    tag,
    type: tag === "input" || tag === "button" ? /** @type {HTMLInputElement} */ (el).type : null,
    href: tag === "a" || tag === "area" ? linkOf(el) : null,
    testid: testIdOf(el),
    xpath: xpathOf(el),
    states,
    x: rect.x,
    y: rect.y,
    w: rect.width,
    h: rect.height,
    visible: (isVisible(el) || tag === "area") && rect.width > 0 && rect.height > 0,
    enabled: !disabled,
    behind: calledBehind(el),
    editable: canEdit(el, tag),
    frame: /^(iframe|frame|object|embed)$/.test(tag),
    checked: checkedOf(el, tag, role),
    invalid: whyInvalid(el, tag),
    multiple: (tag === "select" || tag === "input") && /** @type {HTMLSelectElement} */ (el).multiple,
    ...rowFacts(el),
    options: tag === "select" ? optionsOf(/** @type {HTMLSelectElement} */ (el)) : [],
  };
}

/** Whether it may show more than it does at rest. @param {Element} el */
const isPointed = (el) => isMatch(el, ":hover, :active, :focus-within");

/** What it says without what shows only while it is pointed to, where that isn't the same. @param {Element} el @param {string} role */
function atRest(el, role) {
  if (!isPointed(el)) return null;
  const look = newLook(true, newRest(el));
  const own = nameOf(el, role, look);
  const said = saidOf(el, role, own, look, SAID_LIMIT);
  return look.rest?.found.size ? { name: own, said } : null;
}

/** The modal dialog that keeps a person from it, as it is called. @param {Element} el */
function calledBehind(el) {
  const modal = modalOver(el);
  return modal && callName(modal);
}

/** The same of an element by its number. @param {number} n */
export function behindOf(n) {
  const el = elementOf(n);
  return el && isConnected(el) ? calledBehind(el) : null;
}

/** Whether it or one above it is aria-hidden. @param {Element} el */
function isAside(el) {
  for (let at = /** @type {Element | null} */ (el); at; at = flatParentOf(at)) if (attr(at, "aria-hidden") === "true") return true;
  return false;
}

/** Whether its text can be changed now. @param {Element} el @param {string} tag */
function canEdit(el, tag) {
  if (tag === "textarea" || tag === "input") {
    const field = /** @type {HTMLInputElement} */ (el);
    return !field.disabled && !field.readOnly && !/^(checkbox|radio|button|submit|reset|image|hidden)$/.test(field.type);
  }
  return isEditable(el) || editingHostOf(el) !== null;
}

/** Why what a field holds would keep its form from being sent (HTML, "constraint validation"). @param {Element} el @param {string} tag */
function whyInvalid(el, tag) {
  if (tag !== "input" && tag !== "textarea") return null;
  const field = /** @type {HTMLInputElement} */ (el);
  // What its form doesn't check is sent all the same.
  const form = formOf(field);
  return field.willValidate && !(form && has(form, "novalidate")) && field.value !== "" && !field.validity.valid ? field.validationMessage : null;
}

/** @param {Element} el @param {string} tag @param {string} role @returns {boolean | null} */
function checkedOf(el, tag, role) {
  if (tag === "input" && isMatch(el, "[type=checkbox i], [type=radio i]")) return /** @type {HTMLInputElement} */ (el).checked;
  if (/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role)) return attr(el, "aria-checked") === "true";
  return has(el, "aria-pressed") ? attr(el, "aria-pressed") === "true" : null;
}

/** The first options of a select, and those that are chosen wherever they stand. @param {HTMLSelectElement} el */
function optionsOf(el) {
  const placed = [...el.options].map((option, index) => ({ option, index }));
  const chosen = placed.slice(OPTION_LIMIT).filter(({ option }) => option.selected);
  return [...placed.slice(0, OPTION_LIMIT), ...chosen.slice(0, OPTION_LIMIT)].map(({ option, index }) => ({ index, label: option.label.trim(), value: option.value, selected: option.selected, disabled: option.disabled || isMatch(option, ":disabled") }));
}

/** @param {HTMLElement} el @param {import("../dom/look.js").Look} look */
function laidOutText(el, look) {
  let text = innerTextOf(el);
  if (!look.rest) return text;
  /** @type {Element | null} */
  let out = null;
  for (const inner of queryAll(el, "*")) {
    if ((out && encloses(out, inner)) || !comesByPointing(look, inner, textContentOf(inner))) continue;
    out = inner;
    const own = innerTextOf(inner);
    const at = text.lastIndexOf(own);
    if (own && at >= 0) text = `${text.slice(0, at)} ${text.slice(at + own.length)}`;
  }
  return text.trim();
}

/**
 * The visible text that is an element's own, at most 2,000 characters. Of a control: its text.
 * Of an item with a list inside: the text outside that list. Of a container with targets inside: its heading or name, or the text outside those targets.
 * @param {Element} el @param {string} role @param {import("../dom/look.js").Look} look @returns {string}
 */
export function ownText(el, role, look) {
  if (!isHtmlElement(el)) return tidyText(textContentOf(el)).slice(0, TEXT_LIMIT);
  if (/^(input|select|textarea)$/.test(tagOf(el))) return "";
  const own = besidesLists(el, role, look, TEXT_LIMIT);
  if (own) return own;
  if (isSureControl(el) || !hasTargets(el)) return tidyText(laidOutText(el, look)).slice(0, TEXT_LIMIT);
  const name = nameOf(el, role, look);
  if (!isOperable(el)) {
    const heading = queryAll(el, "legend, caption, h1, h2, h3, h4, h5, h6, [role=heading]")[0];
    return tidyText(name || (heading ? innerTextOf(heading) : "")).slice(0, TEXT_LIMIT);
  }
  const parts = /** @type {string[]} */ ([]);
  collectOwn(el, parts);
  return tidyText(parts.join("")).slice(0, TEXT_LIMIT);
}

/** @param {Element} el */
function hasTargets(el) {
  let n = 0;
  for (const inner of queryAll(el, "*")) {
    if (isOperable(inner)) return true;
    if (++n > INSIDE_LIMIT) return true;
  }
  return false;
}

/** How deep text is looked for element by element. */
const DEEPEST_TEXT = 256;

/** Text outside targets. @param {Element} el @param {string[]} parts */
function collectOwn(el, parts, depth = 0) {
  if (depth > DEEPEST_TEXT) return void parts.push(textContentOf(el));
  for (const child of flatChildrenOf(el)) {
    if (nodeTypeOf(child) === 3) parts.push(/** @type {Text} */ (child).data);
    else if (isElement(child) && isVisible(child) && !isOperable(child)) {
      parts.push(" ");
      collectOwn(child, parts, depth + 1);
      parts.push(" ");
    }
  }
}

/** What a person would call an element, for reports. @param {Element} el @returns {{n: number, role: string, name: string}} */
export function callName(el) {
  const role = roleOf(el);
  const name = nameOf(el, role) || tidyText(innerTextOf(el)).slice(0, 200);
  return { n: numberOf(el), role, name };
}

/** Role, name and text of an element by now. @param {Element} el */
export function saysNow(el) {
  const role = roleOf(el);
  return { role, name: nameOf(el, role), text: ownText(el, role, newLook()) };
}
