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
 * @property {boolean} folded something may have a box and yet not be shown: content-visibility, closed details
 */

/** @returns {SheetFacts} */
const noFacts = () => ({ pseudo: false, marker: false, transform: false, cursor: false, fixed: false, unseen: false, folded: false });
export const EVERYTHING = Object.freeze({ pseudo: true, marker: true, transform: true, cursor: true, fixed: true, unseen: true, folded: true });
/** Elements whose own style may say one of these. */
const INLINE = '[style*="text-transform"], [style*="cursor"], [style*="fixed"], [style*="visibility"]';
/** Elements whose content the browser itself may hold back. */
const FOLDED = "details:not([open]), [hidden]";
/** @type {WeakMap<CSSStyleSheet, {rules: number, facts: SheetFacts}>} */
const readSheets = new WeakMap();

/** @param {CSSRuleList} rules @param {SheetFacts} facts */
function readRules(rules, facts) {
  for (const rule of rules) {
    if (isRule(rule, "CSSStyleRule")) {
      const style = rule.style;
      if (!facts.pseudo && rule.selectorText.includes(":") && /:(before|after|marker)/.test(rule.selectorText) && !/^(|none|normal|""|'')$/.test(style.content)) facts.pseudo = true;
      if (!facts.marker && style.display.includes("list-item")) facts.marker = true;
      if (!facts.transform && style.textTransform && style.textTransform !== "none") facts.transform = true;
      if (!facts.cursor && style.cursor) facts.cursor = true;
      if (!facts.fixed && style.position === "fixed") facts.fixed = true;
      if (!facts.unseen && style.visibility) facts.unseen = true;
      if (!facts.folded && style.contentVisibility) facts.folded = true;
    } else if (isRule(rule, "CSSImportRule") && rule.styleSheet) merge(facts, readSheet(rule.styleSheet));
    const inner = /** @type {CSSGroupingRule} */ (rule).cssRules;
    if (inner?.length) readRules(inner, facts);
    if (facts.pseudo && facts.marker && facts.transform && facts.cursor && facts.fixed && facts.unseen && facts.folded) return;
  }
}

/** @param {SheetFacts} into @param {SheetFacts} from */
function merge(into, from) {
  into.pseudo ||= from.pseudo;
  into.marker ||= from.marker;
  into.transform ||= from.transform;
  into.cursor ||= from.cursor;
  into.fixed ||= from.fixed;
  into.unseen ||= from.unseen;
  into.folded ||= from.folded;
}

/** @param {CSSStyleSheet} sheet @returns {SheetFacts} */
function readSheet(sheet) {
  if (sheet.disabled) return noFacts();
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return EVERYTHING;
  }
  const kept = readSheets.get(sheet);
  if (kept && kept.rules === rules.length) return kept.facts;
  const facts = noFacts();
  readRules(rules, facts);
  readSheets.set(sheet, { rules: rules.length, facts });
  return facts;
}

/** What the sheets that can style this tree say. @param {Node} near @returns {SheetFacts} */
export function sheetFacts(near) {
  const facts = noFacts();
  const root = rootOf(near);
  const trees = isShadowRoot(root) ? [root, ownerOf(near)] : [ownerOf(near)];
  for (const tree of trees) {
    const own = sheetsOf(tree);
    for (const sheet of own) merge(facts, readSheet(sheet));
    for (const sheet of adoptedSheetsOf(tree)) merge(facts, readSheet(sheet));
  }
  for (const el of isElement(root) ? [] : root === document ? foundAll(`${INLINE}, ${FOLDED}`) : queryAll(root, INLINE)) {
    facts.folded ||= isMatch(el, FOLDED);
    const style = inlineStyleOf(el);
    facts.transform ||= Boolean(style.textTransform);
    facts.cursor ||= Boolean(style.cursor);
    facts.fixed ||= style.position === "fixed";
    facts.unseen ||= Boolean(style.visibility);
    facts.folded ||= Boolean(style.contentVisibility);
  }
  if (root !== document) facts.folded ||= foundAll(FOLDED).length > 0;
  return facts;
}
