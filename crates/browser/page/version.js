// One number that rises with every change of the document, so that what was computed for one
// version can be kept. Observers are started at the first need, and only for known trees.

import { accountFor } from "./cause.js";
import { listen, readyStateOf } from "./dom.js";

/** @type {WeakSet<Node>} */
const observed = new WeakSet();
let version = 0;
let mutations = 0;
let lastMutation = 0;
/** @type {(() => void) | null} */
let onChange = null;

const observer = new MutationObserver(record);

/** @param {MutationRecord[]} records */
function record(records) {
  if (!records.length) return;
  version += 1;
  mutations += records.length;
  lastMutation = performance.now();
  accountFor(records);
  onChange?.();
}

/** Watches a document or shadow root; again is free. @param {Node} root */
export function observeRoot(root) {
  if (observed.has(root)) return;
  observed.add(root);
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
}

/** What a page does of itself is to be known before anything is done to it; while it loads, everything changes. */
export function observeOnceLoaded() {
  if (readyStateOf(document) === "complete") observeRoot(document);
  else listen(window, "load", () => observeRoot(document));
}

/** Watches anew a document that was opened again (document.open drops nothing but the tree). */
export function versionNow() {
  record(observer.takeRecords());
  return version;
}

/** What has changed since the start. @returns {{version: number, mutations: number, lastMutation: number}} times in ms of performance.now() */
export function changeCount() {
  versionNow();
  return { version, mutations, lastMutation };
}

/** Calls f at every batch of changes; null stops. @param {(() => void) | null} f */
export function whenChanged(f) {
  onChange = f;
}
