// Finding elements by what an agent or a person may have: XPath, CSS, a test id.

import { attr, isElement, queryAll, shadowOf } from "../dom/dom.js";
import { testIdOf, TEST_ATTRIBUTES } from "./extra.js";
import { numberOf } from "../dom/numbers.js";
import { elementByXpath } from "../dom/xpath.js";

const FOUND_LIMIT = 1000;

/** Every tree of the document: itself and all open and adopted roots. @returns {(Document | ShadowRoot)[]} */
function trees() {
  /** @type {(Document | ShadowRoot)[]} */
  const found = [document];
  for (const tree of found) {
    for (const el of queryAll(tree, "*")) {
      const root = shadowOf(el);
      if (root) found.push(root);
    }
  }
  return found;
}

/** Numbers of what a query finds. An invalid query throws. @param {{by: "xpath" | "css" | "testid", query: string}} what @returns {number[]} */
export function search({ by, query }) {
  if (by === "xpath") return byXpath(query).slice(0, FOUND_LIMIT).map(numberOf);
  const css = by === "testid" ? TEST_ATTRIBUTES.map((name) => `[${name}]`).join(",") : query;
  const found = trees().flatMap((tree) => queryAll(tree, css));
  const fits = by === "testid" ? found.filter((el) => testIdOf(el) === query || TEST_ATTRIBUTES.some((name) => attr(el, name) === query)) : found;
  return fits.slice(0, FOUND_LIMIT).map(numberOf);
}

/** @param {string} query @returns {Element[]} */
function byXpath(query) {
  if (/^\/[\w:#-]+(\[\d+\])?(\/[\w:#-]+(\[\d+\])?)*$/.test(query)) {
    const el = elementByXpath(query);
    if (el || query.includes("#shadow")) return el ? [el] : [];
  }
  const result = Document.prototype.evaluate.call(document, query, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  const out = [];
  for (let i = 0; i < result.snapshotLength; i++) {
    const node = result.snapshotItem(i);
    if (isElement(node)) out.push(node);
  }
  return out;
}
