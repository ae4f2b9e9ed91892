// Labels of controls. `element.labels` is never read: after any change of the document it
// costs a walk of the whole page. One map of label[for] per tree, kept while nothing changes,
// and closest("label") do the same work.

import { attr, closestOf, controlOf, has, queryAll, rootOf, isBefore, tagOf } from "../dom/dom.js";
import { isVisible } from "../dom/visible.js";
import { observeRoot, versionNow } from "../dom/version.js";

/** @type {WeakMap<Node, {version: number, map: Map<string, Element[]>}>} */
const labelMaps = new WeakMap();

/** label[for] elements by id, of the tree a node is in. @param {Node} root @returns {Map<string, Element[]>} */
function labelMap(root) {
  observeRoot(root);
  const version = versionNow();
  const kept = labelMaps.get(root);
  if (kept && kept.version === version) return kept.map;
  /** @type {Map<string, Element[]>} */
  const map = new Map();
  for (const label of queryAll(root, "label[for]")) {
    const id = /** @type {string} */ (attr(label, "for"));
    const list = map.get(id);
    if (list) list.push(label);
    else map.set(id, [label]);
  }
  labelMaps.set(root, { version, map });
  return map;
}

/** The labels of a control, in no more than one tree. @param {Element} el @returns {Element[]} */
export function labelsOf(el) {
  const out = [];
  const around = closestOf(el, "label");
  if (around && controlOf(around) === el) out.push(around);
  if (has(el, "id")) {
    const listed = labelMap(rootOf(el)).get(/** @type {string} */ (attr(el, "id")));
    if (listed) for (const label of listed) if (label !== around && controlOf(label) === el) out.push(label);
  }
  if (out.length > 1) out.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  return out;
}

/** What is activated by its label, wherever that is. */
const ACTIVATED = /^(checkbox|radio|file|button|submit|reset|image|color)$/;

/** Whether a click on its label does what one on it would. @param {Element} el */
export const isActivatedByLabel = (el) => tagOf(el) === "button" || (tagOf(el) === "input" && ACTIVATED.test(/** @type {HTMLInputElement} */ (el).type));

/** Where an element is seen: one that isn't rendered and is activated by its label, at the first label that is. @param {Element} el @returns {Element} */
export function standIn(el) {
  if (!isActivatedByLabel(el) || isVisible(el)) return el;
  return labelsOf(el).find(isVisible) ?? el;
}
