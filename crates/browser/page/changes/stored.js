// What a page writes for itself, which shows in nothing: its storage and its cookies. It may do so by itself, too.

import { cookiesOf, documentElementOf } from "../dom/dom.js";
import { mutation } from "./mutated.js";

/** Of so many items a store is compared, and so many are named. */
const STORED_MOST = 300;
const STORED_NAMED = 5;

/** By what a store is called, its items. @typedef {Map<string, Map<string, string>>} Stores */

/** As they were when the gesture first pressed something here. @type {Stores | null} */
let storedThen = null;

/** Right before the page hears of the press. */
export const noteStored = () => void (storedThen ??= storesNow());
export const forgetStored = () => void (storedThen = null);

/** What is written or taken out since, by name: what it holds may be a secret. */
export function* storedChanges() {
  const root = documentElementOf(document);
  if (!storedThen || !root) return;
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

/** Of a store with more items than are compared, none. @param {() => Storage} store @returns {Map<string, string>} */
function itemsOf(store) {
  const items = new Map();
  try {
    const all = store();
    for (let i = 0; all.length <= STORED_MOST && i < all.length; i++) {
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
    for (const one of cookiesOf(document).split("; ", STORED_MOST)) {
      // One without a name has a value alone.
      const name = one.slice(0, Math.max(one.indexOf("="), 0));
      if (one) items.set(name, `${items.get(name) ?? ""} ${one}`);
    }
  } catch {
    // Nor has it any of these.
  }
  return items;
}
