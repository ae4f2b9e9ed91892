// What one look at the page has already found out. A look lives for one call: nothing in it
// outlasts a change of the page.

import { rootOf, styleOf } from "./dom.js";
import { EVERYTHING, sheetFacts } from "./sheets.js";

/**
 * @typedef {object} Look
 * @property {Map<Element, CSSStyleDeclaration>} styles
 * @property {Map<Element, string>} names
 * @property {Map<Element, 0|1|2|3>} presence
 * @property {Map<Node, import("./sheets.js").SheetFacts>} sheets by tree
 * @property {Set<Element>} plain elements whose name is just the text in them, as it is shown
 * @property {Map<Node, Map<string, string>>} counters what the styles of counters say that the page defines, by tree
 * @property {Map<Element, Map<Element, number>>} ordinals of the items of each numbered list
 * @property {Set<Element> | null} changing elements that keep changing by themselves
 * @property {Set<string>} changingTexts texts of rows that are told by such
 * @property {import("./user-action.js").Rest | null} rest what comes only by pointing is left out, and noted here
 * @property {Map<Node, import("./user-action.js").RulesByPart | null>} actionRules of style sheets, by tree
 * @property {boolean} sure style sheets are taken to say everything, for they may have changed where nothing tells
 * @property {View} view
 * @property {string | null} address of the page, that addresses inside it are added to
 */

/**
 * The viewport, CSS px: its size, how far the page is scrolled, and pixels of the device to one of them. Read once, for each reading asks the layout.
 * @typedef {{w: number, h: number, x: number, y: number, scale: number}} View
 */

/** @returns {View} */
export const viewNow = () => ({ w: innerWidth, h: innerHeight, x: scrollX, y: scrollY, scale: devicePixelRatio });

/** @param {boolean} [sure] @param {import("./user-action.js").Rest | null} [rest] @returns {Look} */
export const newLook = (sure = false, rest = null) => ({ rest, actionRules: new Map(), plain: new Set(), counters: new Map(), ordinals: new Map(), changing: null, changingTexts: new Set(), sure, styles: new Map(), names: new Map(), presence: new Map(), sheets: new Map(), view: viewNow(), address: null });

/** @param {Look} look @param {Element} el @returns {CSSStyleDeclaration} */
export function styleIn(look, el) {
  let style = look.styles.get(el);
  if (!style) look.styles.set(el, (style = styleOf(el)));
  return style;
}

/** @param {Look} look @param {Element} el @param {Node} [tree] the root of el, when known */
export function sheetsIn(look, el, tree = rootOf(el)) {
  let facts = look.sheets.get(tree);
  if (!facts) look.sheets.set(tree, (facts = look.sure ? EVERYTHING : sheetFacts(el)));
  return facts;
}
