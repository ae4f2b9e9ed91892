// What style sheets show only while something is pointed to, pressed or has the focus (Selectors 4, "user action
// pseudo-classes"): tooltips, menus in list items. A gesture brings these about itself, so a text that comes with one is no
// change of the page's. Only what rules hide otherwise, and show because of that, counts as such; what they take away then
// doesn't, nor what is written into it once it is shown.

import { adoptedSheetsOf, attr, isMatch, queryAll, rootOf, sheetsOf, isShadowRoot, isDocument } from "./dom.js";
import { isRule, isGroupOfRules } from "./rules.js";

/** @typedef {"" | "::before" | "::after"} Part */
/** @typedef {"hover" | "active" | "focus"} Action */
/**
 * A selector that goes by a user action, and the same where that is never so.
 * @typedef {{pseudo: Action, selector: string, otherwise: string}} ByAction
 */
/** always: a selector, as if the pointer were there; fades: the rule sets the opacity alone, which may be no more than a shade. @typedef {{always: string, fades: boolean}} Pointed */
/**
 * Selectors of rules by what they do to an element or to what is generated in it.
 * @typedef {object} Rules
 * @property {ByAction[]} shows
 * @property {ByAction[]} writes `content`
 * @property {string[]} written `content`, always
 * @property {string[]} hides always
 * @property {string[]} faint always, by opacity
 * @property {ByAction[]} hidesElse unless there is the action; `otherwise`: where there never is
 * @property {Pointed[]} pointed shows or hides by where the pointer is
 */
/** @typedef {Record<Part, Rules>} RulesByPart */
/** @typedef {{pseudo: Action, text: string}} Revealed by what it is shown, and what it says */
/**
 * What came with the pointer in one reading, by element and part. `around`: it counts only where the action is on this
 * element.
 * @typedef {{around: Element, found: Map<Element, Map<Part, Revealed>>}} Rest
 */

const BY_ACTION = /:(hover|active|focus-visible|focus-within|focus)(?![\w-])/g;
const NOT_ACTION = /:not\(\s*:(?:hover|active|focus-visible|focus-within|focus)(?:\s*,\s*:(?:hover|active|focus-visible|focus-within|focus))*\s*\)/g;
const PSEUDO_END = /::?(before|after)$/;
/** Groups of rules are read so deep. */
const RULES_DEEP = 20;
/** With more rules than this that show or hide something nothing is known, and every text counts. */
const RULES_MOST = 20000;
/** Of so many elements it is looked whether where the pointer is shows or hides them. */
const POINTED_TRIED = 2000;
/** What makes an element transparent, beside style sheets. */
const FAINT_INLINE = /(^|;)\s*opacity\s*:\s*0(\.0+)?\s*(;|!|$)/i;

/** @returns {Rules} */
const noRules = () => ({ shows: [], writes: [], written: [], hides: [], faint: [], hidesElse: [], pointed: [] });

/** @param {Element} around @returns {Rest} */
export const newRest = (around) => ({ around, found: new Map() });

/**
 * Whether an element, or what is generated in it, is shown only because something is pointed to, pressed or has the focus.
 * @param {import("./look.js").Look} look @param {Element} el @param {string} text what it says @param {Part} [part]
 */
export function comesByPointing(look, el, text, part = "") {
  const { rest } = look;
  const rules = rest && rulesIn(look, el)?.[part];
  if (!rules) return false;
  const action = revealing(rules, el, rest.around);
  if (!action) return false;
  let parts = rest.found.get(el);
  if (!parts) rest.found.set(el, (parts = new Map()));
  parts.set(part, { pseudo: action, text });
  return true;
}

/** The action by which it is shown. @param {Rules} rules @param {Element} el @param {Element} around @returns {Action | null} */
function revealing(rules, el, around) {
  const inForce = (/** @type {ByAction} */ one) => isActedOn(around, one.pseudo) && isMatching(el, one.selector) && !isMatching(el, one.otherwise);
  const written = rules.writes.find(inForce);
  if (written && !rules.written.some((selector) => isMatching(el, selector))) return written.pseudo;
  const spared = rules.hidesElse.find((one) => isActedOn(around, one.pseudo) && isMatching(el, one.otherwise) && !isMatching(el, one.selector));
  if (spared) return spared.pseudo;
  const shown = rules.shows.find(inForce);
  return shown && rules.hides.some((selector) => isMatching(el, selector)) ? shown.pseudo : null;
}

/** @param {Element} el @param {Action} action */
const isActedOn = (el, action) => isMatch(el, action === "focus" ? ":focus-within" : `:${action}`);

/** @param {Element} el @param {string} selector */
function isMatching(el, selector) {
  try {
    return isMatch(el, selector);
  } catch {
    return false; // one that only a style sheet may have
  }
}

/** Elements that style sheets show or hide by where the pointer is. @param {number} most @returns {Element[]} */
export function shownByPointer(most) {
  /** @type {Set<Element>} */
  const found = new Set();
  const rules = readTree(document)?.[""] ?? noRules();
  const faintAny = rules.faint.join(", ");
  let left = POINTED_TRIED;
  for (const one of rules.pointed) {
    let all = /** @type {Element[]} */ ([]);
    try {
      all = queryAll(document, one.always);
    } catch {
      // One that only a style sheet may have.
    }
    for (const el of all) {
      if (found.size >= most || left-- <= 0) return [...found];
      if (!one.fades || isFaintAtRest(el, faintAny, rules.faint)) found.add(el);
    }
  }
  return [...found];
}

/** Whether an element can't be seen but where the pointer changes its opacity. @param {Element} el @param {string} faintAny all of `faint` in one @param {string[]} faint */
function isFaintAtRest(el, faintAny, faint) {
  if (FAINT_INLINE.test(attr(el, "style") ?? "")) return true;
  try {
    return faintAny !== "" && isMatch(el, faintAny);
  } catch {
    return faint.some((selector) => isMatching(el, selector));
  }
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
  if (!(isDocument(tree) || isShadowRoot(tree))) return null;
  const reading = { into: { "": noRules(), "::before": noRules(), "::after": noRules() }, left: RULES_MOST };
  for (const sheet of [...sheetsOf(tree), ...adoptedSheetsOf(tree)]) readSheetRules(reading, sheet, 0);
  return reading.left < 0 ? null : reading.into;
}

/** @typedef {{into: RulesByPart, left: number}} Sorting */

/** @param {Sorting} reading @param {CSSStyleSheet} sheet @param {number} depth */
function readSheetRules(reading, sheet, depth) {
  if (sheet.disabled || !isInForce(sheet.media.mediaText)) return;
  try {
    sortRules(reading, sheet.cssRules, null, true, depth);
  } catch {
    // Of another origin: nothing is known of it.
  }
}

/** @param {string} media a list of media queries */
function isInForce(media) {
  const { matches: applies } = matchMedia(media);
  return applies;
}

/** @param {Sorting} reading @param {Iterable<CSSRule>} rules @param {string | null} parent the selector that they are nested in @param {boolean} sure whether they are known to be in force @param {number} depth */
function sortRules(reading, rules, parent, sure, depth) {
  if (depth > RULES_DEEP) return;
  for (const rule of rules) {
    if (isRule(rule, "CSSStyleRule")) {
      const selector = parent === null ? rule.selectorText : unnested(rule.selectorText, parent);
      sortRule(reading, splitSelectors(selector), rule.style, sure);
      sortRules(reading, rule.cssRules ?? [], selector, sure, depth + 1);
    } else if (isRule(rule, "CSSImportRule")) {
      if (rule.styleSheet && isInForce(rule.media.mediaText)) readSheetRules(reading, rule.styleSheet, depth + 1);
    } else if (isRule(rule, "CSSMediaRule")) {
      if (isInForce(rule.conditionText)) sortRules(reading, rule.cssRules, parent, sure, depth + 1);
    } else if (isRule(rule, "CSSSupportsRule")) {
      if (CSS.supports(rule.conditionText)) sortRules(reading, rule.cssRules, parent, sure, depth + 1);
    } else if (isGroupOfRules(rule)) {
      // Whether a container has that size isn't known here.
      sortRules(reading, rule.cssRules, parent, sure && isRule(rule, "CSSLayerBlockRule"), depth + 1);
    } else if (parent !== null && "style" in rule) {
      // Declarations of the rule around a group of rules.
      sortRule(reading, splitSelectors(parent), /** @type {CSSStyleRule} */ (rule).style, sure);
    }
  }
}

/** @param {Sorting} reading @param {string[]} selectors @param {CSSStyleDeclaration} style @param {boolean} sure */
function sortRule(reading, selectors, style, sure) {
  const { display, visibility, opacity, content } = style;
  const hides = display === "none" || visibility === "hidden" || visibility === "collapse";
  const shows = !hides && (display !== "" || visibility !== "");
  const writes = !/^(|none|normal|""|'')$/.test(content);
  const isFaint = parseFloat(opacity) === 0;
  if (!hides && !shows && !writes && !opacity) return;
  for (const whole of selectors) {
    const end = PSEUDO_END.exec(whole);
    const selector = (end ? whole.slice(0, end.index) : whole) || "*";
    const rules = reading.into[end ? (end[1] === "before" ? "::before" : "::after") : ""];
    const always = selector.replace(NOT_ACTION, ":is(*)");
    if (/:hover(?![\w-])/.test(selector)) rules.pointed.push({ always: always.replace(BY_ACTION, ":is(*)"), fades: !hides && !shows && !isFaint });
    if (isFaint && sure && selector.search(BY_ACTION) < 0) rules.faint.push(selector);
    if (!hides && !shows && !writes) continue;
    const [found] = always.matchAll(BY_ACTION);
    const [spared] = selector.matchAll(BY_ACTION);
    if ((found || hides || writes) && (reading.left -= 1) < 0) return;
    if (found) {
      const one = { pseudo: actionOf(found[1]), selector, otherwise: selector.replace(BY_ACTION, ":not(*)") };
      if (shows) rules.shows.push(one);
      if (writes && end) rules.writes.push(one);
    } else if (spared) {
      if (hides && sure) rules.hidesElse.push({ pseudo: actionOf(spared[1]), selector, otherwise: always });
    } else {
      if (hides && sure) rules.hides.push(selector);
      if (writes && end) rules.written.push(selector);
    }
  }
}

/** @param {string} name of a pseudo-class @returns {Action} */
const actionOf = (name) => (name === "hover" || name === "active" ? name : "focus");

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
