// What a page writes for itself, which shows in nothing: its storage and its cookies. It may do so by itself, too.

import { documentElementOf } from "../dom/dom.js";
import { mutation } from "./mutated.js";
import { pressedNow } from "./pressed.js";

/** So many items of a store are compared, and so many named. */
const STORED_MOST = 300;
const STORED_NAMED = 5;

/** By what a store is called, its items. @typedef {Map<string, Map<string, string>>} Stores */

/** As they were when the gesture began. @type {Stores | null} */
let storedThen = null;

export const noteStored = () => void (storedThen = storesNow());
export const forgetStored = () => void (storedThen = null);

/** What is written or taken out since by the document that was pressed, by name: what it holds may be a secret. */
export function* storedChanges() {
  const root = documentElementOf(document);
  if (!storedThen || !root || !pressedNow()) return;
  for (const [store, now] of storesNow()) {
    const was = storedThen.get(store) ?? new Map();
    const written = [...now.keys()].filter((key) => now.get(key) !== was.get(key));
    const gone = [...was.keys()].filter((key) => !now.has(key));
    if (written.length || gone.length) yield mutation(root, store, [namesOf(gone), namesOf(written)], "later");
  }
}

/** @param {string[]} keys */
const namesOf = (keys) => keys.slice(0, STORED_NAMED).join(", ");

/** @returns {Stores} */
const storesNow = () =>
  new Map([
    ["local storage", itemsOf(() => localStorage)],
    ["session storage", itemsOf(() => sessionStorage)],
    ["cookies", cookiesNow()],
  ]);

/** Texts are compared where they are; nothing is copied. @param {() => Storage} store @returns {Map<string, string>} */
function itemsOf(store) {
  const items = new Map();
  try {
    const all = store();
    for (let i = 0; i < Math.min(all.length, STORED_MOST); i++) {
      const key = all.key(i);
      if (key !== null) items.set(key, all.getItem(key) ?? "");
    }
  } catch {
    // A document without an origin has none.
  }
  return items;
}

/** @returns {Map<string, string>} */
function cookiesNow() {
  const items = new Map();
  try {
    for (const one of document.cookie.split("; ", STORED_MOST)) {
      const at = one.indexOf("=");
      if (one) items.set(at < 0 ? one : one.slice(0, at), one);
    }
  } catch {
    // Nor has it any of these.
  }
  return items;
}
