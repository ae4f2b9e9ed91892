// What the style sheets of a tree make necessary. Asking for the ::before and ::after of every
// control costs as much as the rest of the walk, and most pages give them no text; so the rules
// are read once per sheet. A sheet of another origin can't be read and counts as saying everything.

import { isElement, isMatch, ownerOf, queryAll, rootOf, sheetsOf, inlineStyleOf, adoptedSheetsOf, isShadowRoot } from "./dom.js";
import { foundAll } from "./version.js";
import { isRule } from "./rules.js";

/**
 * What some rule says.
 * @typedef {object} SheetFacts
 * @property {boolean} pseudo ::before or ::after have content
 * @property {boolean} marker something may be a list item by its style
 * @property {boolean} transform text-transform is set
 * @property {boolean} cursor a cursor is set
 * @property {boolean} fixed something is position: fixed
 * @property {boolean} unseen visibility is set
 * @property {boolean} folded something may have a box and yet not be shown: content-visibility, closed details, whatever is unseen
 */

/** The same as bits of a number. */
const SAYS = Object.freeze({ pseudo: 1, marker: 2, transform: 4, cursor: 8, fixed: 16, unseen: 32, folded: 64 });
const SAYS_ALL = 127;
/** @param {number} bits @returns {SheetFacts} */
const spelledOut = (bits) => ({ pseudo: (bits & SAYS.pseudo) > 0, marker: (bits & SAYS.marker) > 0, transform: (bits & SAYS.transform) > 0, cursor: (bits & SAYS.cursor) > 0, fixed: (bits & SAYS.fixed) > 0, unseen: (bits & SAYS.unseen) > 0, folded: (bits & SAYS.folded) > 0 });
export const EVERYTHING = Object.freeze(spelledOut(SAYS_ALL));
/** Elements whose own style may say one of these. */
const INLINE = '[style*="text-transform"], [style*="cursor"], [style*="fixed"], [style*="visibility"]';
/** Elements whose content the browser itself may hold back. */
const HELD_BACK = "details:not([open]), [hidden]";
/**
 * What was found in each sheet, and what was never looked for in it: it was known from others each time.
 * @type {WeakMap<CSSStyleSheet, {rules: number, found: number, unsought: number}>}
 */
const readSheets = new WeakMap();

/** What rules say besides what is known: a browser takes a rule apart when its style is asked for, so it isn't without need. @param {CSSRuleList} rules @param {number} known @returns {number} */
function readRules(rules, known) {
  let bits = known;
  for (let i = 0; i < rules.length && bits !== SAYS_ALL; i++) {
    const rule = rules[i];
    if (isRule(rule, "CSSStyleRule")) bits |= readRule(rule, bits);
    else if (isRule(rule, "CSSImportRule") && rule.styleSheet) bits |= readSheet(rule.styleSheet, bits);
    const inner = /** @type {CSSGroupingRule} */ (rule).cssRules;
    if (inner?.length) bits |= readRules(inner, bits);
  }
  return bits;
}

/** @param {CSSStyleRule} rule @param {number} known @returns {number} */
function readRule(rule, known) {
  const { style } = rule;
  let bits = 0;
  if (!(known & SAYS.pseudo) && /:(before|after|marker)/.test(rule.selectorText) && !/^(|none|normal|""|'')$/.test(style.content)) bits |= SAYS.pseudo;
  if (!(known & SAYS.marker) && style.display.includes("list-item")) bits |= SAYS.marker;
  if (!(known & SAYS.transform) && style.textTransform && style.textTransform !== "none") bits |= SAYS.transform;
  if (!(known & SAYS.cursor) && style.cursor) bits |= SAYS.cursor;
  if (!(known & SAYS.fixed) && style.position === "fixed") bits |= SAYS.fixed;
  // Where something may be unseen, a box doesn't tell, whatever else may be folded.
  if (!(known & SAYS.unseen) && style.visibility) bits |= SAYS.unseen | SAYS.folded;
  if (!(known & SAYS.folded) && style.contentVisibility) bits |= SAYS.folded;
  return bits;
}

/** @param {CSSStyleSheet} sheet @param {number} known @returns {number} */
function readSheet(sheet, known) {
  if (known === SAYS_ALL || sheet.disabled) return 0;
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return SAYS_ALL;
  }
  const last = readSheets.get(sheet);
  const kept = last && last.rules === rules.length ? last : { found: 0, unsought: SAYS_ALL };
  const sought = kept.unsought & ~known;
  if (!sought) return kept.found;
  const found = kept.found | (readRules(rules, SAYS_ALL & ~sought) & sought);
  readSheets.set(sheet, { rules: rules.length, found, unsought: kept.unsought & known });
  return found;
}

/** What the sheets that can style this tree say. @param {Node} near @returns {SheetFacts} */
export function sheetFacts(near) {
  let bits = 0;
  const root = rootOf(near);
  const trees = isShadowRoot(root) ? [root, ownerOf(near)] : [ownerOf(near)];
  for (const tree of trees) {
    const own = sheetsOf(tree);
    for (const sheet of own) bits |= readSheet(sheet, bits);
    for (const sheet of adoptedSheetsOf(tree)) bits |= readSheet(sheet, bits);
  }
  for (const el of isElement(root) ? [] : root === document ? foundAll(`${INLINE}, ${HELD_BACK}`) : queryAll(root, INLINE)) {
    if (bits === SAYS_ALL) break;
    if (isMatch(el, HELD_BACK)) bits |= SAYS.folded;
    const style = inlineStyleOf(el);
    if (style.textTransform) bits |= SAYS.transform;
    if (style.cursor) bits |= SAYS.cursor;
    if (style.position === "fixed") bits |= SAYS.fixed;
    if (style.visibility) bits |= SAYS.unseen;
    if (style.contentVisibility) bits |= SAYS.folded;
  }
  if (root !== document && foundAll(HELD_BACK).length) bits |= SAYS.folded;
  return spelledOut(bits);
}
