// What the changes since a gesture began come to, element by element: what is set to the value that it had is no change.

import { attr, flatParentOf, isConnected, isElement, isSameTree, nodeTypeOf, parentNodeOf, tagOf, textContentOf } from "./dom.js";
import { knownNumberOf } from "./numbers.js";
import { isSecret } from "./states.js";

/** @typedef {"input" | "motion" | "later"} Cause */
/** @typedef {{cause: Cause, from: string}} First */
/** @typedef {{cause: Cause, added: Set<Node>, removed: Set<Node>}} List */
/**
 * near: the number of the element, or of the nearest around it that a look has told of; own: it is that element itself.
 * @typedef {{near: number | null, own: boolean, tag: string, property: string, from: string, to: string, cause: Cause}} Mutated
 */

/** So many places are noted, and so many told of. */
const NOTED = 300;
const MOST_NAMED = 12;
/** How far up a known element is looked for. */
const UP_TO_KNOWN = 12;
/** Length of a text that is told, characters. */
const MOST_TEXT = 500;
/** Elements whose content shows nothing that could be named. */
const UNSHOWN = new Set(["style", "script", "template", "noscript", "link", "meta", "head", "base"]);

/** @type {Map<Element, Map<string, First>>} */
const attributesFrom = new Map();
/** @type {Map<Node, First>} */
const textsFrom = new Map();
/** @type {Map<Element, List>} */
const listsFrom = new Map();

/** From here on changes are noted anew. */
export function forgetMutations() {
  for (const all of [attributesFrom, textsFrom, listsFrom]) all.clear();
}

/** Notes what a change was made from. @param {MutationRecord} one @param {Element} el @param {Cause} cause */
export function noteMutation(one, el, cause) {
  if (attributesFrom.size + textsFrom.size + listsFrom.size >= NOTED) return;
  if (one.type === "attributes") return noteAttribute(one, el, cause);
  if (one.type === "characterData") return void (textsFrom.has(one.target) || textsFrom.set(one.target, { cause, from: one.oldValue ?? "" }));
  const list = listsFrom.get(el) ?? { cause, added: new Set(), removed: new Set() };
  listsFrom.set(el, list);
  // What is taken out and put in again is no change.
  for (const node of one.removedNodes) list.added.delete(node) || list.removed.add(node);
  for (const node of one.addedNodes) list.removed.delete(node) || list.added.add(node);
}

/** @param {MutationRecord} one @param {Element} el @param {Cause} cause */
function noteAttribute(one, el, cause) {
  // One with a namespace isn't read back by its name.
  if (one.attributeName === null || one.attributeNamespace !== null) return;
  const noted = attributesFrom.get(el) ?? new Map();
  attributesFrom.set(el, noted);
  if (!noted.has(one.attributeName)) noted.set(one.attributeName, { cause, from: one.oldValue ?? "" });
}

/** What is different from before, the first ones. @returns {Mutated[]} */
export function mutated() {
  const found = [];
  for (const some of [changedLists(), changedTexts(), changedAttributes()]) {
    for (const one of some) {
      if (found.push(one) >= MOST_NAMED) return found;
    }
  }
  return found;
}

function* changedAttributes() {
  for (const [el, noted] of attributesFrom) {
    if (!isConnected(el) || UNSHOWN.has(tagOf(el))) continue;
    for (const [name, { cause, from }] of noted) {
      const to = attr(el, name) ?? "";
      const parts = name === "class" ? /\s+/ : name === "style" ? /\s*;\s*/ : null;
      const [gone, come] = parts ? partsApart(from, to, parts) : [from, to];
      if (gone === come) continue;
      const isHidden = name === "value" && isSecret(el);
      yield mutation(el, name, isHidden ? ["", ""] : [gone, come], cause);
    }
  }
}

/** Of two lists of parts what only one holds. @param {string} from @param {string} to @param {RegExp} between */
function partsApart(from, to, between) {
  const [before, after] = [from, to].map((text) => text.split(between).filter(Boolean));
  const only = (/** @type {string[]} */ some, /** @type {string[]} */ others) => some.filter((one) => !others.includes(one)).join(between.source.includes(";") ? "; " : " ");
  return [only(before, after), only(after, before)];
}

function* changedTexts() {
  for (const [node, { cause, from }] of textsFrom) {
    const el = parentNodeOf(node);
    if (!isConnected(node) || !isElement(el) || UNSHOWN.has(tagOf(el))) continue;
    const to = textContentOf(node);
    if (onOneLine(from) !== onOneLine(to)) yield mutation(el, "text", [onOneLine(from), onOneLine(to)], cause);
  }
}

function* changedLists() {
  for (const [el, { cause, added, removed }] of listsFrom) {
    if (!isConnected(el) || UNSHOWN.has(tagOf(el))) continue;
    const come = [...added].filter((node) => isNamable(node) && parentNodeOf(node) === el);
    const gone = [...removed].filter(isNamable);
    dropSame(come, gone);
    if (!come.length && !gone.length) continue;
    const isText = ![...come, ...gone].some(isElement);
    const both = [gone, come].map((nodes) => onOneLine(nodes.map(isText ? textContentOf : summaryOf).join(" ")));
    if (isText && both[0] === both[1]) continue;
    yield mutation(el, isText ? "text" : "content", /** @type {[string, string]} */ (both), cause);
  }
}

/** @param {Node} node */
const isNamable = (node) => (isElement(node) ? !UNSHOWN.has(tagOf(node)) : nodeTypeOf(node) === Node.TEXT_NODE && textContentOf(node).trim() !== "");

/** Drops what was only replaced by its like. @param {Node[]} come @param {Node[]} gone */
function dropSame(come, gone) {
  for (let i = gone.length - 1; i >= 0; i--) {
    const like = come.findIndex((node) => isSameTree(node, gone[i]));
    if (like < 0) continue;
    come.splice(like, 1);
    gone.splice(i, 1);
  }
}

/** @param {Node} node */
function summaryOf(node) {
  const text = textContentOf(node).slice(0, MOST_TEXT);
  return isElement(node) ? `<${tagOf(node)}> ${text}` : text;
}

/** @param {string} text */
const onOneLine = (text) => text.replace(/\s+/g, " ").trim();

/** @param {Element} el @param {string} property @param {[string, string]} texts @param {Cause} cause @returns {Mutated} */
function mutation(el, property, [from, to], cause) {
  let up = /** @type {Element | null} */ (el);
  for (let i = 0; up && i < UP_TO_KNOWN && !knownNumberOf(up); i++) up = flatParentOf(up);
  const near = (up && knownNumberOf(up)) ?? null;
  return { near, own: near !== null && up === el, tag: tagOf(el), property, from: from.slice(0, MOST_TEXT), to: to.slice(0, MOST_TEXT), cause };
}
