// What style sheets show only while something is pointed to, pressed or has the focus (Selectors 4, "user action
// pseudo-classes"): tooltips, menus in list items. A gesture brings these about itself, so a text that comes with one is no
// change of the page's. Only what rules hide otherwise, and show then, counts as such; what they take away then doesn't.

import { adoptedSheetsOf, isMatch, rootOf, sheetsOf } from "./dom.js";

/** @typedef {"" | "::before" | "::after"} Part */
/**
 * Selectors of rules by what they do to an element or to what is generated in it.
 * @typedef {object} Rules
 * @property {string[]} shows while pointed to
 * @property {string[]} writes `content` while pointed to
 * @property {string[]} written `content` always
 * @property {string[]} hides always
 * @property {[string, string][]} hidesElse unless pointed to: the selector, and the same without that
 */
/** @typedef {Record<Part, Rules>} RulesByPart */

const ACTION = /:(?:hover|active|focus|focus-visible|focus-within)(?![\w-])/;
const NOT_ACTION = /:not\(\s*:(?:hover|active|focus|focus-visible|focus-within)\s*\)/g;
const PSEUDO_END = /::?(before|after)$/;
/** Groups of rules are read so deep. */
const RULES_DEEP = 20;
/** With more rules than this nothing is known, and every text counts. */
const RULES_MOST = 3000;

/** @returns {Rules} */
const noRules = () => ({ shows: [], writes: [], written: [], hides: [], hidesElse: [] });

/**
 * Whether an element, or what is generated in it, is shown only because something is pointed to, pressed or has the focus.
 * @param {import("./look.js").Look} look @param {Element} el @param {Part} [part]
 */
export function comesByPointing(look, el, part = "") {
  const rules = rulesIn(look, el)?.[part];
  if (!rules) return false;
  if (isAny(el, rules.writes) && !isAny(el, rules.written)) return true;
  if (rules.hidesElse.some(([selector, always]) => isAny(el, [always]) && !isAny(el, [selector]))) return true;
  return isAny(el, rules.shows) && isAny(el, rules.hides);
}

/** @param {Element} el @param {string[]} selectors */
function isAny(el, selectors) {
  return selectors.some((selector) => {
    try {
      return isMatch(el, selector);
    } catch {
      return false; // one that only a style sheet may have
    }
  });
}

/** @param {import("./look.js").Look} look @param {Element} el @returns {RulesByPart | null} */
function rulesIn(look, el) {
  const tree = rootOf(el);
  let rules = look.actionRules.get(tree);
  if (rules === undefined) look.actionRules.set(tree, (rules = readTree(tree)));
  return rules;
}

/** @param {Node} tree @returns {RulesByPart | null} */
function readTree(tree) {
  if (!(tree instanceof Document || tree instanceof ShadowRoot)) return null;
  const reading = { into: { "": noRules(), "::before": noRules(), "::after": noRules() }, left: RULES_MOST };
  for (const sheet of [...sheetsOf(tree), ...adoptedSheetsOf(tree)]) readSheetRules(reading, sheet, 0);
  return reading.left < 0 ? null : reading.into;
}

/** @typedef {{into: RulesByPart, left: number}} Sorting */

/** @param {Sorting} reading @param {CSSStyleSheet} sheet @param {number} depth */
function readSheetRules(reading, sheet, depth) {
  if (sheet.disabled) return;
  try {
    sortRules(reading, sheet.cssRules, null, true, depth);
  } catch {
    // Of another origin: nothing is known of it.
  }
}

/** @param {Sorting} reading @param {Iterable<CSSRule>} rules @param {string | null} parent the selector that they are nested in @param {boolean} sure whether they are known to be in force @param {number} depth */
function sortRules(reading, rules, parent, sure, depth) {
  if (depth > RULES_DEEP) return;
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      const selector = parent === null ? rule.selectorText : unnested(rule.selectorText, parent);
      sortRule(reading, splitSelectors(selector), rule.style, sure);
      sortRules(reading, rule.cssRules ?? [], selector, sure, depth + 1);
    } else if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) readSheetRules(reading, rule.styleSheet, depth + 1);
    } else if (rule instanceof CSSMediaRule) {
      const { matches: applies } = matchMedia(rule.conditionText);
      if (applies) sortRules(reading, rule.cssRules, parent, sure, depth + 1);
    } else if (rule instanceof CSSGroupingRule) {
      // Whether a container has that size isn't known here.
      const known = rule instanceof CSSLayerBlockRule || rule instanceof CSSSupportsRule;
      sortRules(reading, rule.cssRules, parent, sure && known, depth + 1);
    }
  }
}

/** @param {Sorting} reading @param {string[]} selectors @param {CSSStyleDeclaration} style @param {boolean} sure */
function sortRule(reading, selectors, style, sure) {
  const { display, visibility, content } = style;
  const hides = display === "none" || visibility === "hidden" || visibility === "collapse";
  const shows = !hides && (display !== "" || visibility !== "");
  const writes = !/^(|none|normal|""|'')$/.test(content);
  if (!hides && !shows && !writes) return;
  for (const whole of selectors) {
    if ((reading.left -= 1) < 0) return;
    const end = PSEUDO_END.exec(whole);
    const selector = (end ? whole.slice(0, end.index) : whole) || "*";
    const rules = reading.into[end ? (end[1] === "before" ? "::before" : "::after") : ""];
    const always = selector.replace(NOT_ACTION, "");
    if (ACTION.test(always)) {
      if (shows) rules.shows.push(selector);
      if (writes && end) rules.writes.push(selector);
    } else if (always !== selector) {
      if (hides && sure) rules.hidesElse.push([selector, /[\w\])*-]$/.test(always) ? always : `${always}*`]);
    } else {
      if (hides && sure) rules.hides.push(selector);
      if (writes && end) rules.written.push(selector);
    }
  }
}

/** The selectors of a list, each by itself. @param {string} text */
function splitSelectors(text) {
  const parts = /** @type {string[]} */ ([]);
  let from = 0;
  let depth = 0;
  for (const { 0: sign, index } of text.matchAll(/\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[()[\],]/g)) {
    if (sign === "(" || sign === "[") depth += 1;
    else if (sign === ")" || sign === "]") depth -= 1;
    else if (sign === "," && depth === 0) {
      parts.push(text.slice(from, index).trim());
      from = index + 1;
    }
  }
  return [...parts, text.slice(from).trim()];
}

/** A nested selector as it stands alone (CSS Nesting 1). @param {string} selector @param {string} parent */
function unnested(selector, parent) {
  const around = `:is(${parent})`;
  return splitSelectors(selector).map((one) => (one.includes("&") ? one.replaceAll("&", around) : `${around} ${one}`)).join(", ");
}
