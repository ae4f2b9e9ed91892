// What keeps a person from an element that is drawn: a modal dialog on top, and `inert`.

import { flatHolds, flatParentOf, has, mayHost, queryAll, rectOf, rootOf, shadowOf, tagOf } from "./dom.js";
import { deepestAt } from "./hit.js";
import { LIKELY_HOSTS } from "./told.js";

/** The modal dialogs that show, in shadow trees too. @param {Element} el whose own trees are looked at as well @returns {Element[]} */
function modalsAround(el) {
  /** @type {Set<Node>} */
  const trees = new Set([document]);
  for (let root = rootOf(el); root !== document && "host" in root; root = rootOf(/** @type {Element} */ (root.host))) trees.add(root);
  const found = [];
  for (const tree of trees) {
    found.push(...queryAll(tree, "dialog:modal"));
    for (const host of queryAll(tree, LIKELY_HOSTS)) {
      const root = mayHost(tagOf(host)) ? shadowOf(host) : null;
      if (root) trees.add(root);
    }
  }
  return found;
}

/** The modal dialog that keeps a person from an element, if one does. @param {Element} el @returns {Element | null} */
export function modalOver(el) {
  const modals = modalsAround(el);
  // What is inert is never hit: of several, the one on top is where it is drawn.
  const top = modals.length > 1 ? modals.filter(isOnTop) : modals;
  if ((top.length ? top : modals).some((modal) => flatHolds(modal, el))) return null;
  return top[0] ?? modals[modals.length - 1] ?? null;
}

/** @param {Element} modal */
function isOnTop(modal) {
  const { left, top, width, height } = rectOf(modal);
  return flatHolds(modal, deepestAt(left + width / 2, top + height / 2));
}

/** Whether a person can do nothing to an element, wherever it is. @param {Element} el */
export function isKeptFrom(el) {
  for (let at = /** @type {Element | null} */ (el); at; at = flatParentOf(at)) if (has(at, "inert")) return true;
  return modalOver(el) !== null;
}
