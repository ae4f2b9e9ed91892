// Whether what was last told of the document still holds. Mutation records, and the browser's own counts of style and layout
// work (which the other side compares), tell of nearly every change; what they don't is compared here: scroll positions,
// what controls hold, the focus, the address, and what was told from outside. A document where more than that may be going
// on (a running animation, shadow trees, style sheets that can't be read) is looked at anew each time.

import { activeOf, baseOf, documentElementOf, isMatch, queryAll, readyStateOf, sheetsOf, tagOf, titleOf } from "./dom.js";
import { viewNow } from "./look.js";
import { marksNow } from "./operable.js";
import { isScrolling } from "./scroll.js";
import { versionNow } from "./version.js";

/** Elements with state that no record tells of. */
const HOLDING = "input, select, textarea, output, progress, meter";
/** Elements that scroll by themselves, or because their own style says so. */
const SCROLLERS = 'dialog, [popover], [style*="overflow"], marquee';
/** More is not worth it: reading it would cost what it should save. */
const RULE_LIMIT = 4000;
const SCROLLER_LIMIT = 300;

/**
 * @typedef {object} Kept
 * @property {number} token
 * @property {string} want
 * @property {(string | number | boolean | Element | null)[]} facts
 * @property {Element[]} controls
 * @property {(string | number)[]} held what the controls held
 * @property {Element[]} scrollers
 * @property {number[]} places where they were scrolled to
 */

/** @type {Kept | null} */
let kept = null;
let lastToken = 0;

/** Notes what was looked at; 0: it can't be relied on. @param {string} want @param {boolean} simple the look met no shadow tree and left no question open @returns {number} */
export function keepLook(want, simple) {
  kept = null;
  if (!simple || isScrolling() || isAnimated()) return 0;
  const scrollers = scrollersNow();
  if (!scrollers) return 0;
  const controls = queryAll(document, HOLDING);
  kept = { token: ++lastToken, want, facts: factsNow(), controls, held: controls.map(heldIn), scrollers, places: placesOf(scrollers) };
  return lastToken;
}

/** Whether the look of that token still holds, as far as can be told from in here. @param {number} token @param {string} want */
export function isLookKept(token, want) {
  if (!kept || kept.token !== token || kept.want !== want) return false;
  // Style and layout are brought up to date before the counts of them are compared.
  const facts = factsNow();
  const { facts: before, controls, held, scrollers, places } = kept;
  if (isScrolling() || isAnimated() || facts.some((fact, i) => fact !== before[i])) return false;
  for (let i = 0; i < controls.length; i++) if (heldIn(controls[i]) !== held[i]) return false;
  return placesOf(scrollers).every((place, i) => place === places[i]);
}

/** @returns {Kept["facts"]} */
function factsNow() {
  const root = documentElementOf(document);
  const { w, h, x, y } = viewNow();
  return [versionNow(), marksNow(), location.href, baseOf(document), titleOf(document), readyStateOf(document), activeOf(), w, h, x, y, root?.scrollWidth ?? 0, root?.scrollHeight ?? 0];
}

const isAnimated = () => document.getAnimations().some((animation) => animation.playState === "running" || animation.pending);

/** What a control holds. @param {Element} control @returns {string | number} */
function heldIn(control) {
  const tag = tagOf(control);
  if (tag === "input") {
    const field = /** @type {HTMLInputElement} */ (control);
    const marks = (field.checked ? 1 : 0) + (field.indeterminate ? 2 : 0) + (isMatch(field, ":user-invalid") ? 4 : 0);
    return field.type === "checkbox" || field.type === "radio" ? marks : `${marks} ${field.type === "file" ? fileNames(field) : field.value}`;
  }
  const marks = isMatch(control, ":user-invalid") ? 1 : 0;
  if (tag !== "select") return `${marks} ${/** @type {HTMLTextAreaElement} */ (control).value}`;
  let held = `${marks}`;
  for (const option of /** @type {HTMLSelectElement} */ (control).selectedOptions) held += ` ${option.index}`;
  return held;
}

/** @param {HTMLInputElement} field */
const fileNames = (field) => [...(field.files ?? [])].map((file) => file.name).join("\n");

/** @param {Element[]} scrollers @returns {number[]} */
const placesOf = (scrollers) => scrollers.flatMap((el) => [el.scrollLeft, el.scrollTop]);

/** What may be scrolled beside the page; null: there is no telling, or too much. @returns {Element[] | null} */
function scrollersNow() {
  const selectors = [SCROLLERS];
  const count = { rules: 0 };
  for (const sheet of [...sheetsOf(document), ...document.adoptedStyleSheets]) if (!addScrollers(sheet, selectors, count)) return null;
  try {
    const found = queryAll(document, selectors.join(", "));
    return found.length > SCROLLER_LIMIT ? null : found;
  } catch {
    return null;
  }
}

/** @param {CSSStyleSheet} sheet @param {string[]} selectors @param {{rules: number}} count @returns {boolean} */
function addScrollers(sheet, selectors, count) {
  try {
    return sheet.disabled || addFromRules(sheet.cssRules, selectors, count);
  } catch {
    return false; // of another origin
  }
}

/** @param {CSSRuleList} rules @param {string[]} selectors @param {{rules: number}} count @returns {boolean} */
function addFromRules(rules, selectors, count) {
  if ((count.rules += rules.length) > RULE_LIMIT) return false;
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet && !addScrollers(rule.styleSheet, selectors, count)) return false;
    } else if (rule instanceof CSSStyleRule) {
      // What is nested in another rule has selectors that mean nothing by themselves.
      if (rule.cssRules.length) return false;
      if (rule.style.overflowX || rule.style.overflowY) selectors.push(rule.selectorText);
    } else {
      const inner = /** @type {CSSGroupingRule} */ (rule).cssRules;
      if (inner?.length && !(rule instanceof CSSKeyframesRule) && (isScope(rule) || !addFromRules(inner, selectors, count))) return false;
    }
  }
  return true;
}

/** @param {CSSRule} rule */
const isScope = (rule) => rule.constructor.name === "CSSScopeRule";
