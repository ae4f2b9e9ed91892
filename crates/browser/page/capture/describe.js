// describe(): where elements are that the browser's accessibility tree names, and what that tree doesn't say of them.

import { keepRoot, nodeTypeOf, plainRect, rectOf, rootOf, shadowOf, tagOf, titleOf, newRange, parentElementOf, isText, isElement, isShadowRoot } from "../dom/dom.js";
import { makeTarget } from "./entries.js";
import { extraOf } from "./extra.js";
import { newLook } from "../dom/look.js";
import { isSelfChanging } from "../changes/cause.js";
import { scanAttributes } from "../dom/marks.js";
import { nameOf } from "../names/names.js";
import { numberOf } from "../dom/numbers.js";
import { NOT, SURE, operability } from "./operable.js";
import { isVeiled, veilOf } from "../dom/place.js";
import { roleOf } from "../names/roles.js";
import { saidOf, wholeText, wordlessHint } from "../text/said.js";
import { COVERED, CURRENT, EDITABLE, INVALID, statesOf, valueOf } from "../names/states.js";
import { textStates } from "../text/text.js";

/** What the tree says too soon (a field nobody has filled in yet is invalid to it) or not at all. */
const OWN_STATES = INVALID | CURRENT | EDITABLE;
/** Hosts whose controls the browser draws itself, each to be operated on its own. */
const MEDIA = new Set(["video", "audio"]);

/**
 * [number, tag, how operable, x, y, width, height, states, extra, value] of an element; of a text, with the number of what holds it.
 * @typedef {[number, string, 0 | 1 | 2, number, number, number, number, number, Record<string, any> | null, string | null]} Described
 */

/**
 * @param {{detail: boolean}} want
 * @param {(Node | null)[]} nodes @returns {(Described | null)[]}
 */
export function describe(want, ...nodes) {
  const look = newLook();
  /** @type {import("./walk.js").Walk} */
  const walk = { entries: [], look, options: { detail: want.detail, text: true, paths: new Map() }, run: null, active: null, hosts: [], covered: 0, tree: document, shadows: false, number: 0, taken: 0, before: [] };
  const veil = veilOf(look);
  return nodes.map((node) => {
    if (isNamed(node)) return describeElement(walk, node, veil);
    return isNode(node) && isText(node) ? describeText(walk, node) : null;
  });
}

/** Whether it is an element: what CSS generates has a node of the browser's, but none of ours. @param {Node | null} node @returns {node is Element} */
const isNamed = (node) => isNode(node) && isElement(node);

/** What CSS generates is told as something else altogether. @param {unknown} node @returns {node is Node} */
function isNode(node) {
  try {
    return nodeTypeOf(/** @type {Node} */ (node)) > 0;
  } catch {
    return false;
  }
}

/** Numbers of elements that can be named; 0 for other nodes. @param {(Node | null)[]} nodes */
export const called = (...nodes) => nodes.map((node) => (isNamed(node) && !isInner(node) ? numberOf(node) : 0));

/** What a look says of the document itself. */
export const about = () => ({ url: location.href, title: titleOf(document), width: innerWidth, height: innerHeight, scale: devicePixelRatio });

/** @param {import("./walk.js").Walk} walk @param {Element} el @param {Element[]} veil @returns {Described | null} */
function describeElement(walk, el, veil) {
  const tag = tagOf(el);
  if (isInner(el)) return null;
  const role = roleOf(el);
  const sure = operability(el, tag, scanAttributes(el));
  /** @type {import("./walk.js").Entry} */
  const entry = { el, parent: -1, kind: 1, role, name: "", value: null, states: 0, rect: null, extra: null, dropped: false, sure, by: "", key: "", was: -1, moved: null };
  const reachable = makeTarget(walk, sure === NOT ? Object.assign(entry, { sure: SURE }) : entry, tag, null);
  const rect = entry.rect ?? rectOf(el);
  if (veil.length && isVeiled(el, veil)) entry.states |= COVERED;
  const found = extraOf(el, tag, role, Object.assign(entry, { sure: NOT }), walk.options);
  const extra = shownExtra(el, role, found, walk.look);
  const states = entry.states | (entry.rect ? 0 : textStates(rect, walk.look.view)) | (statesOf(el) & OWN_STATES);
  return [numberOf(el), tag, reachable ? sure : NOT, rect.x, rect.y, rect.width, rect.height, states, extra, tag === "input" || tag === "select" ? valueOf(el, role) : null];
}

/** What the tree doesn't tell of what an element shows. @param {Element} el @param {string} role @param {Record<string, any> | null} extra @param {import("../dom/look.js").Look} look */
function shownExtra(el, role, extra, look) {
  const name = nameOf(el, role, look);
  const said = saidOf(el, role, name, look);
  const hint = wordlessHint(el, name, said, look);
  if (said) extra = { ...extra, said };
  if (hint) extra = { ...extra, hint, icon: true };
  return isSelfChanging(el, look) ? { ...extra, selfChanging: true } : extra;
}

/** @param {import("./walk.js").Walk} walk @param {Text} node @returns {Described} */
function describeText(walk, node) {
  const range = newRange();
  range.selectNodeContents(node);
  const rect = plainRect(range.getBoundingClientRect());
  const holder = parentElementOf(node);
  return [holder ? numberOf(holder) : 0, "", NOT, rect.x, rect.y, rect.width, rect.height, textStates(rect, walk.look.view), holder && { said: wholeText(holder, walk.look) }, null];
}

/** Whether an element is a part of a control that is one thing to a person; the roots of media controls are taken over. @param {Element} el */
function isInner(el) {
  for (let root = rootOf(el); isShadowRoot(root); root = rootOf(root.host)) {
    const { host } = root;
    const known = shadowOf(host) === root;
    if (!known && !MEDIA.has(tagOf(host))) return true;
    if (!known) keepRoot(host, root);
  }
  return false;
}
