// What one look at the page has already found out. A look lives for one call: nothing in it
// outlasts a change of the page.

import { rootOf, styleOf } from "./dom.js";
import { sheetFacts } from "./sheets.js";

/**
 * @typedef {object} Look
 * @property {Map<Element, CSSStyleDeclaration>} styles
 * @property {Map<Element, string>} names
 * @property {Map<Element, 0|1|2|3>} presence
 * @property {Map<Node, import("./sheets.js").SheetFacts>} sheets by tree
 * @property {View} view
 * @property {string | null} address of the page, that addresses inside it are added to
 */

/**
 * The viewport, CSS px: its size and how far the page is scrolled. Read once, for each reading asks the layout.
 * @typedef {{w: number, h: number, x: number, y: number}} View
 */

/** @returns {View} */
export const viewNow = () => ({ w: innerWidth, h: innerHeight, x: scrollX, y: scrollY });

/** @returns {Look} */
export const newLook = () => ({ styles: new Map(), names: new Map(), presence: new Map(), sheets: new Map(), view: viewNow(), address: null });

/** @param {Look} look @param {Element} el @returns {CSSStyleDeclaration} */
export function styleIn(look, el) {
  let style = look.styles.get(el);
  if (!style) look.styles.set(el, (style = styleOf(el)));
  return style;
}

/** @param {Look} look @param {Element} el @param {Node} [tree] the root of el, when known */
export function sheetsIn(look, el, tree = rootOf(el)) {
  let facts = look.sheets.get(tree);
  if (!facts) look.sheets.set(tree, (facts = sheetFacts(el)));
  return facts;
}
