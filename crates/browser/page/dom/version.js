// One number that rises with every change of the document, so that what was computed for one
// version can be kept. Observers are started at the first need, and only for known trees.

import { accountFor } from "../changes/cause.js";
import { isElement, listen, queryAll, readyStateOf } from "./dom.js";

/** @type {WeakSet<Node>} */
const observed = new WeakSet();
let version = 0;
/** Rises when elements come, go or change their attributes. */
let shape = 0;
let mutations = 0;
let lastMutation = 0;
/** @type {(() => void) | null} */
let onChange = null;
/** @type {((records: MutationRecord[]) => void) | null} */
let onRecords = null;

const observer = new MutationObserver((records) => record(records, true));

/** @param {MutationRecord[]} records @param {boolean} own whether they are handed over in the turn that made them */
function record(records, own) {
  if (!records.length) return;
  version += 1;
  mutations += records.length;
  lastMutation = performance.now();
  accountFor(records, own);
  if (records.some(isShape)) shape += 1;
  onRecords?.(records);
  onChange?.();
}

/** @param {MutationRecord} record */
function isShape({ type, addedNodes, removedNodes }) {
  if (type === "characterData") return false;
  return type === "attributes" || holdsElement(addedNodes) || holdsElement(removedNodes);
}

/** @param {NodeList} nodes */
function holdsElement(nodes) {
  for (const node of nodes) if (isElement(node)) return true;
  return false;
}

/** More selectors are those of style sheets that come and go. */
const ANSWERS = 20;
/** @type {Map<string, {shape: number, found: Element[]}>} */
const answers = new Map();

/** The document's elements by a selector of names, attributes and their places: asked again only when any of these changed. @param {string} css @returns {Element[]} */
export function foundAll(css) {
  versionNow();
  const known = answers.get(css);
  if (known?.shape === shape) return known.found;
  if (answers.size >= ANSWERS) answers.clear();
  const found = queryAll(document, css);
  answers.set(css, { shape, found });
  return found;
}

/** Watches a document or shadow root; again is free. @param {Node} root */
export function observeRoot(root) {
  if (observed.has(root)) return;
  observed.add(root);
  observer.observe(root, { subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true, characterDataOldValue: true });
}

/** What a page does of itself is to be known before anything is done to it; while it loads, everything changes. */
export function observeOnceLoaded() {
  if (readyStateOf(document) === "complete") observeRoot(document);
  else listen(window, "load", () => observeRoot(document));
}

/** Watches anew a document that was opened again (document.open drops nothing but the tree). */
export function versionNow() {
  record(observer.takeRecords(), false);
  return version;
}

/** What has changed since the start. @returns {{version: number, mutations: number, lastMutation: number}} times in ms of performance.now() */
export function changeCount() {
  versionNow();
  return { version, mutations, lastMutation };
}

/** Something changed that no mutation tells of. */
export const signalChange = () => onChange?.();

/** Calls f at every batch of changes; null stops. @param {(() => void) | null} f */
export function whenChanged(f) {
  onChange = f;
}

/** Hands every batch of records to f; null stops. @param {((records: MutationRecord[]) => void) | null} f */
export function whenRecorded(f) {
  onRecords = f;
}
