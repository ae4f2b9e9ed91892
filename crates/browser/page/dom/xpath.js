// Absolute paths: `/html[1]/body[1]/div[2]/#shadow/button[1]`. `#shadow` enters a shadow root.
// A path stays inside its document; Rust puts the frames before it.

import { documentElementOf, firstChildOf, isElement, nextSiblingOf, parentNodeOf, previousSiblingOf, shadowOf, tagOf, isShadowRoot } from "./dom.js";

/**
 * @param {Element} el
 * @param {Map<Element, string>} [known] paths so far: with it, siblings are counted once for all of them,
 *   so that the paths of a whole document cost as much as its size
 * @returns {string}
 */
export function xpathOf(el, known) {
  const chain = [];
  /** @type {Element | null} */
  let at = el;
  for (; at && !known?.has(at); at = above(at)) chain.push(at);
  let path = (at && known?.get(at)) ?? "";
  for (const step of chain.reverse()) {
    const parent = parentNodeOf(step);
    const base = isShadowRoot(parent) ? `${path}/#shadow` : path;
    if (known && parent) numberChildren(parent, base, known);
    path = known?.get(step) ?? `${base}/${tagOf(step)}[${placeOf(step)}]`;
  }
  return path;
}

/** @param {Element} el @returns {Element | null} */
function above(el) {
  const parent = parentNodeOf(el);
  if (isShadowRoot(parent)) return parent.host;
  return isElement(parent) ? parent : null;
}

/** @param {Element} el */
function placeOf(el) {
  const tag = tagOf(el);
  let place = 1;
  for (let before = previousSiblingOf(el); before; before = previousSiblingOf(before)) if (isElement(before) && tagOf(before) === tag) place++;
  return place;
}

/** @param {Node} parent @param {string} base @param {Map<Element, string>} known */
function numberChildren(parent, base, known) {
  /** @type {Map<string, number>} */
  const places = new Map();
  for (let c = firstChildOf(parent); c; c = nextSiblingOf(c)) {
    if (!isElement(c)) continue;
    const tag = tagOf(c);
    const place = (places.get(tag) ?? 0) + 1;
    places.set(tag, place);
    known.set(c, `${base}/${tag}[${place}]`);
  }
}

/** The element at one of our own paths, or null. @param {string} path @returns {Element | null} */
export function elementByXpath(path) {
  /** @type {Node} */
  let at = document;
  for (const step of path.split("/").filter(Boolean)) {
    if (step === "#shadow") {
      const root = isElement(at) ? shadowOf(at) : null;
      if (!root) return null;
      at = root;
      continue;
    }
    const parts = /^([^[\]]+)(?:\[(\d+)\])?$/.exec(step);
    const next = parts && childAt(at, parts[1], Number(parts[2] ?? 1));
    if (!next) return null;
    at = next;
  }
  return isElement(at) ? at : null;
}

/** @param {Node} parent @param {string} tag @param {number} place @returns {Element | null} */
function childAt(parent, tag, place) {
  if (parent === document) {
    const root = documentElementOf(document);
    return root && tagOf(root) === tag && place === 1 ? root : null;
  }
  let n = 0;
  for (let c = firstChildOf(parent); c; c = nextSiblingOf(c)) if (isElement(c) && tagOf(c) === tag && ++n === place) return c;
  return null;
}
