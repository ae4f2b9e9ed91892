// What the browser and the page's own world tell about elements that only they can see.

import { documentElementOf, firstChildOf, isElement, keepRoot, mayHost, nextSiblingOf, queryAll, shadowOf, tagOf } from "./dom.js";
import { markDelegating, markListening } from "./marks.js";
import { elementOf, numberOf } from "./numbers.js";
import { observeRoot } from "./version.js";

/** A closed root found by the browser; null: it looked and there is none. @param {Element | number} host @param {ShadowRoot | null} root */
export function adoptRoot(host, root) {
  const el = typeof host === "number" ? elementOf(host) : host;
  if (!el) return false;
  keepRoot(el, root);
  if (root) observeRoot(root);
  return true;
}

/** All but what pages have most of and can't give a root: the browser itself passes over those. */
export const LIKELY_HOSTS = ":not(a, b, br, button, code, dd, dl, dt, em, form, g, hr, i, img, input, label, li, link, meta, ol, option, path, pre, script, select, strong, style, svg, table, tbody, td, textarea, th, thead, tr, ul)";

/**
 * The elements a page may have given a closed root, when they are so few that asking the browser about each
 * is less work than having it describe the whole document; null: they are many.
 * @param {number} limit @returns {number[] | null}
 */
export function possibleHosts(limit) {
  /** @type {Node[]} */
  const trees = [document];
  const found = [];
  for (const tree of trees) {
    for (const el of queryAll(tree, LIKELY_HOSTS)) {
      if (!mayHost(tagOf(el))) continue;
      const root = shadowOf(el);
      if (root) trees.push(root);
      else if (found.push(el) > limit) return null;
    }
  }
  return found.map(numberOf);
}

/** Elements with listeners for clicks and the like. @param {(Element | number)[]} elements @returns {number} how many were known */
export function adoptListeners(elements) {
  let n = 0;
  for (const item of elements) {
    const el = typeof item === "number" ? elementOf(item) : item;
    if (!isElement(el)) continue;
    markListening(el);
    n++;
  }
  return n;
}

/**
 * Elements the page's own world knows as listening, by path: indices of element children from the
 * document's root element; "s" enters an open shadow root. A path may stand in {path, host}: host
 * marks an element that only delegates.
 * @param {((number | "s")[] | {path: (number | "s")[], host?: boolean})[]} paths @returns {number} how many were found
 */
export function hint(paths) {
  let n = 0;
  for (const item of paths) {
    const path = Array.isArray(item) ? item : item.path;
    const el = elementAtPath(path);
    if (!el) continue;
    if (!Array.isArray(item) && item.host) markDelegating(el);
    else markListening(el);
    n++;
  }
  return n;
}

/** @param {(number | "s")[]} path @returns {Element | null} */
function elementAtPath(path) {
  /** @type {Node | null} */
  let at = documentElementOf(document);
  for (const step of path) {
    if (!isElement(at)) return null;
    if (step === "s") at = shadowOf(at);
    else at = nthElement(at, step);
    if (!at) return null;
    if (!isElement(at)) {
      const i = path.indexOf(step) + 1;
      return fromRoot(at, path.slice(i));
    }
  }
  return isElement(at) ? at : null;
}

/** @param {Node} root @param {(number | "s")[]} path @returns {Element | null} */
function fromRoot(root, path) {
  /** @type {Node | null} */
  let at = root;
  for (const step of path) {
    if (!at) return null;
    at = step === "s" ? (isElement(at) ? shadowOf(at) : null) : nthElement(at, step);
  }
  return isElement(at) ? at : null;
}

/** @param {Node} parent @param {number} n @returns {Element | null} */
function nthElement(parent, n) {
  let i = 0;
  for (let c = firstChildOf(parent); c; c = nextSiblingOf(c)) if (isElement(c) && i++ === n) return c;
  return null;
}
