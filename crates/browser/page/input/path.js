// What an event of a press passes through, and whether any of that acts by itself, without a listener.

import { activeOf, attr, controlOf, documentElementOf, flatParentOf, formOf, has, isConnected, isShadowRoot, parentNodeOf, tagOf } from "../dom/dom.js";
import { runsAddress } from "../changes/address-script.js";
import { isBoxAsBegun } from "../changes/controls.js";
import { isEditingHost } from "../dom/focus.js";
import { elementOf } from "../dom/numbers.js";
import { ownLeads, typeOfInput } from "../capture/leads.js";

/** Elements that do something when they, or what is in them, are pressed. */
const ACTING = new Set(["a", "area", "audio", "details", "embed", "iframe", "input", "label", "object", "option", "select", "summary", "textarea", "video"]);
/** Longer ways aren't told. */
const LONGEST = 100;

/** Whether it is edited or dragged, whatever element it is. @param {Element} el */
const isHandled = (el) => isEditingHost(el) || (has(el, "draggable") && attr(el, "draggable") !== "false");

/** @param {Element} el */
const actsByItself = (el) => ACTING.has(tagOf(el)) || ownLeads(el, tagOf(el)) !== null || isHandled(el);

/**
 * Whether a press of an element shows anything without a script of the page. Where a link or the button of a form leads is told by
 * itself, and changes nothing in the page that stays; so is what a script changes that is a link's address.
 * @param {Element} el
 */
function showsByItself(el) {
  const tag = tagOf(el);
  const leads = ownLeads(el, tag);
  if (tag === "a" || tag === "area") return false;
  const control = tag === "label" ? controlOf(el) : el;
  if (control && isBoxAsBegun(control)) return isHandled(el);
  if (leads && ("command" in leads || "popover" in leads || leads.type === "reset")) return true;
  if (tag === "input" && /^(button|submit|image)$/.test(typeOfInput.call(el))) return false;
  return tag !== "button" && actsByItself(el);
}

/** The nodes that events of a gesture at an element pass through, or at what has the focus: those of its label's control and of its form, too. @param {number | null} n @returns {Node[]} */
export function eventPath(n) {
  const el = (n ? elementOf(n) : null) ?? activeOf() ?? documentElementOf(document);
  /** @type {Set<Node>} */
  const nodes = new Set();
  /** @type {(Element | null)[]} */
  const from = el ? [el] : [];
  for (let i = 0; i < from.length && i < LONGEST; i++) {
    for (let at = from[i]; at && nodes.size < LONGEST; at = flatParentOf(at)) {
      if (tagOf(at) === "label" || tagOf(at) === "button" || tagOf(at) === "input") from.push(controlOf(at), formOf(at));
      for (let up = /** @type {Node | null} */ (at); up && !nodes.has(up); up = isShadowRoot(up) ? null : parentNodeOf(up)) nodes.add(up);
    }
  }
  return [...nodes];
}

/** The nodes that a press at an element passes through, from it to the document; null: something there acts by itself, or nobody can say. @param {number} n */
export const pressPath = (n) => pathThrough(n, actsByItself);

/** Whether a press there runs the script of a link's address. @param {number} n */
export const runsByAddress = (n) => runsAddress(elementOf(n));

/** The same; null: something there shows by itself that it was pressed. @param {number} n */
export const scriptPath = (n) => pathThrough(n, showsByItself);

/** @param {number} n @param {(el: Element) => boolean} acts @returns {Node[] | null} */
function pathThrough(n, acts) {
  const el = elementOf(n);
  if (!el || !isConnected(el)) return null;
  /** @type {Set<Node>} */
  const nodes = new Set();
  for (let at = /** @type {Element | null} */ (el); at; at = flatParentOf(at)) {
    if (acts(at)) return null;
    // The slot's tree lies on the way of what is put into it, and so do its own parents.
    for (let up = /** @type {Node | null} */ (at); up && !nodes.has(up); up = isShadowRoot(up) ? null : parentNodeOf(up)) nodes.add(up);
    if (nodes.size > LONGEST) return null;
  }
  return [...nodes];
}
