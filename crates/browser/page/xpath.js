// Absolute paths: `/html[1]/body[1]/div[2]/#shadow/button[1]`. `#shadow` enters a shadow root.
// A path stays inside its document; Rust puts the frames before it.

import { documentElementOf, firstChildOf, isElement, nextSiblingOf, parentNodeOf, previousSiblingOf, shadowOf, tagOf } from "./dom.js";

/** @param {Element} el @returns {string} */
export function xpathOf(el) {
  const steps = [];
  for (let at = /** @type {Element | null} */ (el); at; ) {
    const tag = tagOf(at);
    let place = 1;
    for (let before = previousSiblingOf(at); before; before = previousSiblingOf(before)) if (isElement(before) && tagOf(before) === tag) place++;
    steps.push(`${tag}[${place}]`);
    const parent = parentNodeOf(at);
    if (parent instanceof ShadowRoot) {
      steps.push("#shadow");
      at = parent.host;
    } else at = isElement(parent) ? parent : null;
  }
  return `/${steps.reverse().join("/")}`;
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
