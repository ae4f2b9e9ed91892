// What the changes since a gesture began come to, element by element: what is set to the value that it had is no change.

import { attr, childList, flatParentOf, isConnected, isElement, isSameTree, nodeTypeOf, parentNodeOf, tagOf, textContentOf } from "./dom.js";
import { knownNumberOf } from "./numbers.js";
import { isSecret } from "./states.js";

/** @typedef {"input" | "motion" | "later"} Cause */
/** from: null where there was none. @typedef {{cause: Cause, from: string | null}} First */
/** records: null where they were too many. @typedef {{cause: Cause, records: MutationRecord[] | null, nodes: number}} List */
/**
 * near: the number of the element, or of the nearest around it that a look has told of; own: it is that element itself.
 * @typedef {{near: number | null, own: boolean, tag: string, property: string, from: string, to: string, cause: Cause}} Mutated
 */

/** So many places are noted, and so many told of. */
const NOTED = 300;
const MOST_NAMED = 12;
/** Changes of one element's children, and children, that are gone through; and how many pairs of children are held against each other. */
const RECORDS_OF_ONE = 200;
const MOST_CHILDREN = 2000;
const MOST_PAIRS = 10000;
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

/** Whether something changed that can't be named. */
let isUnnamed = false;

/** From here on changes are noted anew. */
export function forgetMutations() {
  isUnnamed = false;
  for (const all of [attributesFrom, textsFrom, listsFrom]) all.clear();
}

/** Notes what a change was made from. @param {MutationRecord} one @param {Element | null} el @param {Cause} cause */
export function noteMutation(one, el, cause) {
  if (!el || attributesFrom.size + textsFrom.size + listsFrom.size >= NOTED) isUnnamed = true;
  else if (one.type === "attributes") noteAttribute(one, el, cause);
  else if (one.type === "childList") noteList(one, el, cause);
  else if (!textsFrom.has(one.target)) textsFrom.set(one.target, { cause, from: one.oldValue });
}

/** @param {MutationRecord} one @param {Element} el @param {Cause} cause */
function noteAttribute(one, el, cause) {
  // One with a namespace isn't read back by its name.
  if (one.attributeName === null || one.attributeNamespace !== null) return void (isUnnamed = true);
  const noted = attributesFrom.get(el) ?? new Map();
  attributesFrom.set(el, noted);
  if (!noted.has(one.attributeName)) noted.set(one.attributeName, { cause, from: one.oldValue });
}

/** @param {MutationRecord} one @param {Element} el @param {Cause} cause */
function noteList(one, el, cause) {
  const list = listsFrom.get(el) ?? { cause, records: [], nodes: 0 };
  listsFrom.set(el, list);
  list.nodes += one.addedNodes.length + one.removedNodes.length;
  // Without some of them the others can't be undone.
  if (list.nodes > MOST_CHILDREN || (list.records?.length ?? 0) >= RECORDS_OF_ONE) list.records = null;
  if (list.records) list.records.push(one);
  else isUnnamed = true;
}

/** What is different from before: the first of what can be named, and whether there is what can't. @returns {{named: Mutated[], unnamed: boolean}} */
export function netMutations() {
  const named = firstMutations();
  return { named, unnamed: isUnnamed };
}

function firstMutations() {
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
    if (!isConnected(el)) continue;
    for (const [name, { cause, from }] of noted) {
      const to = attr(el, name);
      const parts = name === "class" ? /\s+/ : name === "style" ? /\s*;\s*/ : null;
      // One without a value is told by its name.
      const value = (/** @type {string | null} */ text) => (text === null ? "" : text || name);
      const [gone, come] = parts ? partsApart(from ?? "", to ?? "", parts) : [value(from), value(to)];
      if (gone === come) continue;
      if (UNSHOWN.has(tagOf(el))) isUnnamed = true;
      else yield mutation(el, name, name === "value" && isSecret(el) ? ["", ""] : [gone, come], cause);
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
    if (!isConnected(node) || !isElement(el)) continue;
    const [before, now] = [from ?? "", textContentOf(node)].map(onOneLine);
    if (before === now) continue;
    if (UNSHOWN.has(tagOf(el))) isUnnamed = true;
    else yield mutation(el, "text", [before, now], cause);
  }
}

function* changedLists() {
  for (const [el, { cause, records }] of listsFrom) {
    if (!isConnected(el)) continue;
    if (!records) continue;
    const now = childList(el);
    if (now.length > MOST_CHILDREN) {
      isUnnamed = true;
      continue;
    }
    const before = undone(now, records);
    if (UNSHOWN.has(tagOf(el)) || isOther(before, now, (node) => !isNamable(node) && nodeTypeOf(node) === Node.ELEMENT_NODE)) isUnnamed = true;
    if (UNSHOWN.has(tagOf(el))) continue;
    const sides = changedSides(before.filter(isNamable), now.filter(isNamable));
    if (sides) yield mutation(el, sides[0], [sides[1], sides[2]], cause);
  }
}

/** The children that there were before these changes. @param {Node[]} now @param {MutationRecord[]} records @returns {Node[]} */
function undone(now, records) {
  const list = [...now];
  for (const { addedNodes, removedNodes, nextSibling, previousSibling } of [...records].reverse()) {
    for (const node of addedNodes) {
      const at = list.indexOf(node);
      if (at >= 0) list.splice(at, 1);
    }
    if (!removedNodes.length) continue;
    const before = nextSibling ? list.indexOf(nextSibling) : list.length;
    const after = previousSibling ? list.indexOf(previousSibling) + 1 : 0;
    list.splice(before < 0 ? after : before, 0, ...removedNodes);
  }
  return list;
}

/** Whether two lists hold others of a kind. @param {Node[]} before @param {Node[]} now @param {(node: Node) => boolean} isOfKind */
function isOther(before, now, isOfKind) {
  const [a, b] = [before, now].map((nodes) => nodes.filter(isOfKind));
  return a.length !== b.length || a.some((node, i) => node !== b[i]);
}

/** What is different, and both sides of it; null: nothing. @param {Node[]} before @param {Node[]} now @returns {[string, string, string] | null} */
function changedSides(before, now) {
  const same = alike(before, now);
  const [old, present] = [before, now.map((node) => same.get(node) ?? node)];
  if (old.length === present.length && old.every((node, i) => node === present[i])) return null;
  const gone = old.filter((node) => !present.includes(node));
  const come = present.filter((node) => !old.includes(node));
  const isText = ![...gone, ...come].some(isElement);
  const say = (/** @type {Node[]} */ nodes) => onOneLine(nodes.map(isText ? textContentOf : summaryOf).join(" "));
  if (!gone.length && !come.length) return ["order", say(old), say(present)];
  const [from, to] = [say(gone), say(come)];
  return isText && from === to ? null : [isText ? "text" : "content", from, to];
}

/** Nodes that only took the place of their like, and whose. @param {Node[]} before @param {Node[]} now */
function alike(before, now) {
  const [gone, come] = [before.filter((node) => !now.includes(node)), now.filter((node) => !before.includes(node))];
  /** @type {Map<Node, Node>} */
  const same = new Map();
  if (gone.length * come.length > MOST_PAIRS) return same;
  for (const node of come) {
    const at = gone.findIndex((one) => isSameTree(one, node));
    if (at < 0) continue;
    same.set(node, gone[at]);
    gone.splice(at, 1);
  }
  return same;
}

/** @param {Node} node */
const isNamable = (node) => (isElement(node) ? !UNSHOWN.has(tagOf(node)) : nodeTypeOf(node) === Node.TEXT_NODE && textContentOf(node).trim() !== "");

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
