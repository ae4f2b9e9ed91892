// What the changes since a gesture began come to, element by element: what is set to the value that it had is no change.

import { attr, bodyOf, childList, flatHolds, flatParentOf, inertDocument, inlineStyleOf, isConnected, isElement, isSameTree, isShadowRoot, nodeTypeOf, parentNodeOf, tagOf, textContentOf } from "../dom/dom.js";
import { knownNumberOf } from "../dom/numbers.js";
import { isSecret } from "../names/states.js";
import { wholePressed } from "./pressed.js";
import { isFadingOn, isRipple, noteTakenOut } from "./ripple.js";

/** @typedef {"input" | "motion" | "later"} Cause */
/**
 * from: before the cause, null where there was none; first: before the gesture; to: before it went on by itself, if it does.
 * @typedef {{cause: Cause, from: string | null, first: string | null, to?: string | null}} First
 */
/**
 * records: null where they can't be undone; since: the first of them that the cause made; until: the first that came by itself.
 * @typedef {{cause: Cause, records: MutationRecord[] | null, since: number, until?: number}} List
 */
/**
 * near: the number of the element, or of the nearest around it that a look has told of; own: it is that element itself; inside: it is
 * in what was pressed.
 * @typedef {{near: number | null, own: boolean, inside: boolean, tag: string, property: string, from: string, to: string, cause: Cause}} Mutated
 */
/** What is found of one question: unnamed: what brought about that can't be named; pairs: so many children may still be held against each other. @typedef {{unnamed: Set<Cause>, pairs: number, added: Set<Node>}} Net */

/** What says more of a gesture: a change in its events, one that comes after it, one that pointing brings. @type {Record<Cause, number>} */
const RANK = { input: 2, later: 1, motion: 0 };
/** So many places are noted, and so many told of. */
const NOTED = 300;
const MOST_NAMED = 12;
/** Changes of one element's children, and children of all that come and go, that are gone through. */
const RECORDS_OF_ONE = 200;
const MOST_CHILDREN = 2000;
/** Pairs of children that are held against each other, for all lists. */
const MOST_PAIRS = 10000;
/** Classes, or parts of a style, that are told apart. */
const MOST_PARTS = 200;
/** How far up a known element is looked for. */
const UP_TO_KNOWN = 12;
/** Length of a text that is told, and of one that is kept, characters. What differs may stand at the end of a long one. */
const MOST_TEXT = 2000;
const MOST_KEPT = 100000;
/** Elements whose content shows nothing that could be named. */
const UNSHOWN = new Set(["style", "script", "template", "noscript", "link", "meta", "head", "base"]);

/** @type {Map<Element, Map<string, First>>} */
const attributesFrom = new Map();
/** @type {Map<Node, First>} */
const textsFrom = new Map();
/** By elements and shadow roots. @type {Map<Node, List>} */
const listsFrom = new Map();
/** How many places are noted, and how many children came and went. */
let places = 0;
let children = 0;
/** What brought about that wasn't noted. @type {Set<Cause>} */
const lost = new Set();

/** From here on changes are noted anew. */
export function forgetMutations() {
  [places, children] = [0, 0];
  for (const all of [attributesFrom, textsFrom, listsFrom, lost]) all.clear();
}

/** Something changed that nobody went through. @param {Cause} cause */
export function loseMutations(cause) {
  lost.add(cause);
  for (const list of listsFrom.values()) {
    lost.add(list.cause);
    list.records = null;
  }
}

/** Notes what a change was made from. @param {MutationRecord} one @param {Cause} cause */
export function noteMutation(one, cause) {
  if (one.type === "childList") return noteList(one, cause);
  if ((one.oldValue?.length ?? 0) > MOST_KEPT) return void lost.add(cause);
  if (one.type === "attributes") return noteAttribute(one, cause);
  noteFirst(textsFrom, one.target, cause, one.oldValue);
}

/** What changes by itself from here on is no gesture's: what was done until then is held against it. @param {MutationRecord} one */
export function passOver(one) {
  const { type, target, attributeName, oldValue } = one;
  const list = type === "childList" ? listsFrom.get(target) : undefined;
  if (list) {
    list.until ??= list.records?.length ?? 0;
    return keepRecord(list, one);
  }
  const known = type === "attributes" ? attributesFrom.get(/** @type {Element} */ (target))?.get(attributeName ?? "") : textsFrom.get(target);
  if (known && known.to === undefined) known.to = oldValue;
}

/** @template K @param {Map<K, First>} all @param {K} key @param {Cause} cause @param {string | null} from */
function noteFirst(all, key, cause, from) {
  const known = all.get(key);
  if (known?.to !== undefined && cause === "input") lost.add(cause);
  if (known ? known.to !== undefined || RANK[cause] <= RANK[known.cause] : !isRoom(cause)) return;
  all.set(key, { cause, from, first: known ? known.first : from });
}

/** Whether one more place may be noted. @param {Cause} cause */
function isRoom(cause) {
  if (places >= NOTED) lost.add(cause);
  return places++ < NOTED;
}

/** @param {MutationRecord} one @param {Cause} cause */
function noteAttribute(one, cause) {
  // One with a namespace isn't read back by its name.
  if (one.attributeName === null || one.attributeNamespace !== null) return void lost.add(cause);
  const el = /** @type {Element} */ (one.target);
  const noted = attributesFrom.get(el) ?? new Map();
  noteFirst(noted, one.attributeName, cause, one.oldValue);
  if (noted.size) attributesFrom.set(el, noted);
}

/** @param {MutationRecord} one @param {Cause} cause */
function noteList(one, cause) {
  const { target } = one;
  // A document's own children are no list.
  if (!isElement(target) && !isShadowRoot(target)) return void lost.add(cause);
  const known = listsFrom.get(target);
  if (!known && !isRoom(cause)) return;
  /** @type {List} */
  const list = known ?? { cause, records: [], since: 0 };
  // Done to what goes on by itself: which is which can't be told.
  if (list.until !== undefined && cause === "input") lost.add(cause);
  if (cause !== "input") noteTakenOut(one.removedNodes);
  if (RANK[cause] > RANK[list.cause] && list.until === undefined) [list.cause, list.since] = [cause, list.records?.length ?? 0];
  listsFrom.set(target, list);
  keepRecord(list, one);
}

/** @param {List} list @param {MutationRecord} one */
function keepRecord(list, one) {
  children += one.addedNodes.length + one.removedNodes.length;
  // Without some of them the others can't be undone.
  if (children > MOST_CHILDREN || (list.records?.length ?? 0) >= RECORDS_OF_ONE) list.records = null;
  if (list.records) list.records.push(one);
  else lost.add(list.cause);
}

/** What is different from before: what says most of it, whether there is what can't be named, and whether any of that is of the gesture's events. @returns {{named: Mutated[], unnamed: boolean, unnamed_by_input: boolean}} */
export function netMutations() {
  const net = { unnamed: new Set(lost), pairs: MOST_PAIRS, added: addedSince() };
  const named = [...changedLists(net), ...changedTexts(net), ...changedAttributes(net)];
  named.sort((a, b) => RANK[b.cause] - RANK[a.cause]);
  for (const { cause } of named.splice(MOST_NAMED)) net.unnamed.add(cause);
  return { named, unnamed: net.unnamed.size > 0, unnamed_by_input: net.unnamed.has("input") };
}

/** What came in and wasn't there before, wherever it was. @returns {Set<Node>} */
function addedSince() {
  const [added, removed] = [new Set(), new Set()];
  for (const { records } of listsFrom.values()) {
    for (const { addedNodes, removedNodes } of records ?? []) {
      for (const node of removedNodes) if (!added.has(node)) removed.add(node);
      for (const node of addedNodes) if (!removed.has(node)) added.add(node);
    }
  }
  return added;
}

/** Whether what was done to a node shows: it is in the document, and in nothing new, which is told of as a whole. @param {Node} node @param {Net} net */
function isTold(node, net) {
  if (!isConnected(node)) return false;
  for (let up = /** @type {Node | null} */ (node); up; up = isShadowRoot(up) ? up.host : parentNodeOf(up)) if (net.added.has(up)) return false;
  return true;
}

/** @param {Net} net */
function* changedAttributes(net) {
  for (const [el, noted] of attributesFrom) {
    if (!isTold(el, net)) continue;
    for (const [name, { cause, from, first, to }] of noted) {
      const now = to === undefined ? attr(el, name) : to;
      const [gone, come] = sidesOf(name, from, now);
      // What pointing has brought, and the press took back, is no change either.
      if (gone === come || isSameSides(sidesOf(name, first, now)) || (cause === "later" && isFadingOn(el, name, [gone, come]))) continue;
      if (UNSHOWN.has(tagOf(el))) net.unnamed.add(cause);
      else yield mutation(el, name, name === "value" && isKept(el) ? ["", ""] : [gone, come], cause);
    }
  }
}

/** @param {[string, string]} sides */
const isSameSides = ([gone, come]) => gone === come;

/** Whether the value of a field isn't shown to a person either. @param {Element} el */
const isKept = (el) => isSecret(el) || attr(el, "type")?.toLowerCase() === "hidden";

/** What only the one and only the other value of an attribute holds. @param {string} name @param {string | null} from @param {string | null} to @returns {[string, string]} */
function sidesOf(name, from, to) {
  if (name === "class") return partsApart(from ?? "", to ?? "", /\s+/, " ");
  if (name === "style") return partsApart(styleText(from), styleText(to), /\s*;\s*/, "; ");
  // One without a value is told by its name.
  const value = (/** @type {string | null} */ text) => (text === null ? "" : text || name);
  return [value(from), value(to)];
}

const sample = bodyOf(inertDocument());

/** A style as the browser writes it. @param {string | null} text */
function styleText(text) {
  if (!text || !sample) return "";
  const style = /** @type {CSSStyleDeclaration} */ (inlineStyleOf(sample));
  style.cssText = text;
  return style.cssText || text;
}

/** Of two lists of parts what only one holds. @param {string} from @param {string} to @param {RegExp} between @param {string} join @returns {[string, string]} */
function partsApart(from, to, between, join) {
  const [before, after] = [from, to].map((text) => text.split(between).filter(Boolean));
  if (before.length > MOST_PARTS || after.length > MOST_PARTS) return [from, to];
  const only = (/** @type {string[]} */ some, /** @type {string[]} */ others) => some.filter((one) => !others.includes(one)).join(join);
  return [only(before, after), only(after, before)];
}

/** @param {Net} net */
function* changedTexts(net) {
  for (const [node, { cause, from, first, to }] of textsFrom) {
    const el = parentNodeOf(node);
    if (!isTold(node, net)) continue;
    const [before, now, began] = [from ?? "", to === undefined ? textContentOf(node) : (to ?? ""), first ?? ""].map(onOneLine);
    if (before === now || began === now) continue;
    if (!isElement(el) || UNSHOWN.has(tagOf(el))) net.unnamed.add(cause);
    else yield mutation(el, "text", [before, now], cause);
  }
}

/** @param {Net} net */
function* changedLists(net) {
  for (const [node, { cause, records, since, until }] of listsFrom) {
    if (!isTold(node, net) || !records) continue;
    const el = isElement(node) ? node : /** @type {ShadowRoot} */ (node).host;
    const present = childList(node);
    // A page's head shows its title, if nothing else.
    if (present.length > MOST_CHILDREN || (UNSHOWN.has(tagOf(el)) && tagOf(el) !== "head")) {
      net.unnamed.add(cause);
      continue;
    }
    const now = undone(present, records.slice(until ?? records.length));
    const before = undone(now, records.slice(since, until));
    const told = (/** @type {Node[]} */ nodes) => nodes.filter((one) => isNamable(one) && !isRipple(one, net));
    if (since && !changedSides(told(undone(before, records.slice(0, since))), told(now), net, cause)) continue;
    if (isOther(before, now, (one) => !isNamable(one) && nodeTypeOf(one) === Node.ELEMENT_NODE)) net.unnamed.add(cause);
    const sides = changedSides(told(before), told(now), net, cause);
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

/** What is different, and both sides of it; null: nothing. @param {Node[]} before @param {Node[]} now @param {Net} net @param {Cause} cause @returns {[string, string, string] | null} */
function changedSides(before, now, net, cause) {
  const same = alike(before, now, net, cause);
  if (!same) return null;
  const [old, present] = [before, now.map((node) => same.get(node) ?? node)];
  if (old.length === present.length && old.every((node, i) => node === present[i])) return null;
  const [gone, come] = [without(old, present), without(present, old)];
  const isText = ![...gone, ...come].some(isElement);
  const say = (/** @type {Node[]} */ nodes) => onOneLine(nodes.map(isText ? textContentOf : summaryOf).join(" "));
  if (!gone.length && !come.length) return ["order", say(old), say(present)];
  const [from, to] = [say(gone), say(come)];
  return isText && from === to ? null : [isText ? "text" : "content", from, to];
}

/** @param {Node[]} some @param {Node[]} others */
function without(some, others) {
  const all = new Set(others);
  return some.filter((node) => !all.has(node));
}

/** Nodes that only took the place of their like, and whose; null: that isn't known. @param {Node[]} before @param {Node[]} now @param {Net} net @param {Cause} cause */
function alike(before, now, net, cause) {
  const [gone, come] = [without(before, now), without(now, before)];
  /** @type {Map<Node, Node>} */
  const same = new Map();
  net.pairs -= gone.length * come.length;
  if (net.pairs < 0) {
    net.unnamed.add(cause);
    return null;
  }
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
  const text = textContentOf(node);
  return isElement(node) ? `<${tagOf(node)}> ${text}` : text;
}

/** @param {string} text */
const onOneLine = (text) => text.replace(/\s+/g, " ").trim();

/** @param {Element} el @param {string} property @param {[string, string]} texts @param {Cause} cause @returns {Mutated} */
export function mutation(el, property, [from, to], cause) {
  let up = /** @type {Element | null} */ (el);
  for (let i = 0; up && i < UP_TO_KNOWN && !knownNumberOf(up); i++) up = flatParentOf(up);
  const near = (up && knownNumberOf(up)) ?? null;
  const whole = wholePressed();
  const inside = whole !== null && flatHolds(whole, el);
  // Whole texts are made one line before: where they are cut, what begins there can be told by the length.
  return { near, own: near !== null && up === el, inside, tag: tagOf(el), property, from: from.slice(0, MOST_TEXT), to: to.slice(0, MOST_TEXT), cause };
}
