// Whether what was last told of the document still holds. Mutation records, and the browser's own counts of style and layout
// work (which the other side compares), tell of nearly every change; what they don't is compared here: scroll positions,
// what controls hold, the focus, the address, and what was told from outside. A document where more than that may be going
// on (a running animation, shadow trees, style sheets that can't be read) is looked at anew each time.

import { activeOf, baseOf, controlOf, documentElementOf, isMatch, readyStateOf, sheetsOf, tagOf, titleOf, scrollWidthOf, scrollHeightOf, animationsOf, adoptedSheetsOf, scrollLeftOf, scrollTopOf, isElement } from "../dom/dom.js";
import { viewNow } from "../dom/look.js";
import { marksNow } from "../dom/marks.js";
import { keepRegions, markChanged, regionAround, regionsLook, restyleBelow } from "./subtree-cache.js";
import { isScrolling } from "../dom/scroll.js";
import { foundAll, versionNow } from "../dom/version.js";
import { isRule } from "../dom/rules.js";

/** Elements with state that no record tells of. */
const HOLDING = "input, select, textarea, output, progress, meter";
/** Elements that scroll by themselves, or because their own style says so. */
const SCROLLERS = 'dialog, [popover], [style*="overflow"], marquee';
/** Elements that may come to be another thing without anything in their region changing: by a text elsewhere, or by themselves. */
const FROM_AFAR = "[aria-labelledby], [aria-describedby], [aria-owns], [popover], dialog, details, video, audio, marquee, label[for], [form], [commandfor], [popovertarget]";
/** More is not worth it: reading it would cost what it should save. */
const RULE_LIMIT = 4000;
const SCROLLER_LIMIT = 300;

/**
 * @typedef {object} Kept
 * @property {number} token
 * @property {string} want
 * @property {(string | number | boolean | Element | null)[]} facts
 * @property {number} rules how many there were
 * @property {Element[]} controls
 * @property {(string | number)[]} held what the controls held
 * @property {Element[]} scrollers
 * @property {number[]} places where they were scrolled to
 */

/** @type {Kept | null} */
let kept = null;
let lastToken = 0;

/**
 * Notes what was looked at; 0: it can't be relied on.
 * @param {string} want @param {boolean} simple the look met no shadow tree and left no question open @param {number} look its number @returns {number}
 */
export function keepLook(want, simple, look) {
  kept = null;
  keepRegions(0);
  if (!simple || isScrolling() || isAnimated()) return 0;
  const rules = rulesNow();
  const scrollers = rules && scrollersBy(rules.scrolling);
  if (!scrollers) return 0;
  const controls = foundAll(HOLDING);
  kept = { token: ++lastToken, want, facts: factsNow(), rules: rules.count, controls, held: controls.map(heldIn), scrollers, places: placesOf(scrollers) };
  if (rules.far || !look) return lastToken;
  keepRegions(look, rules.reaching.join());
  markFar();
  return lastToken;
}

/** Marks the regions that no look is to take over. */
function markFar() {
  for (const el of foundAll(FROM_AFAR)) {
    const control = tagOf(el) === "label" ? controlOf(el) : el;
    if (control === el || (control && regionAround(control) !== regionAround(el))) markChanged(control);
  }
}

/** The look of that token or any other of the kind, if parts of it may hold still: its number; 0: none. What changed is marked. @param {string} want @returns {number} */
export function lookBefore(want) {
  if (!kept || kept.want !== want || isScrolling() || isAnimated()) return 0;
  const now = factsNow();
  const { facts: before, controls, held } = kept;
  if (WHOLE_PAGE.some((i) => now[i] !== before[i]) || kept.rules !== rulesNow()?.count) return 0;
  for (const el of /** @type {(Element | null)[]} */ ([before[HAS_FOCUS], now[HAS_FOCUS]])) if (isElement(el) && now[HAS_FOCUS] !== before[HAS_FOCUS]) markChanged(el);
  for (let i = 0; i < controls.length; i++) if (heldIn(controls[i]) !== held[i] && !markChanged(controls[i])) restyleBelow(controls[i]);
  return regionsLook();
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

/** Of the facts, those whose change is one of the whole page: marks, address, base, viewport. */
const WHOLE_PAGE = [1, 2, 3, 7, 8, 11];
/** Which of them has the focus. */
const HAS_FOCUS = 6;

/** The token of the look that is kept, or 0. */
export const keptToken = () => kept?.token ?? 0;

/** @returns {Kept["facts"]} */
function factsNow() {
  const root = documentElementOf(document);
  const { w, h, x, y, scale } = viewNow();
  return [versionNow(), marksNow(), location.href, baseOf(document), titleOf(document), readyStateOf(document), activeOf(), w, h, x, y, scale, root ? scrollWidthOf(root) : 0, root ? scrollHeightOf(root) : 0];
}

const isAnimated = () => animationsOf(document).some((animation) => animation.playState === "running" || animation.pending);

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
const placesOf = (scrollers) => scrollers.flatMap((el) => [scrollLeftOf(el), scrollTopOf(el)]);

/** What the style sheets say, as far as it matters here. @typedef {{count: number, far: boolean, reaching: string[], scrolling: string[]}} Rules far: some rule reaches from anywhere to anywhere; reaching: selectors of those that reach to what follows; scrolling: selectors of what may be scrolled */

/** Null: there is no telling, or there are too many. @returns {Rules | null} */
function rulesNow() {
  /** @type {Rules} */
  const read = { count: 0, far: false, reaching: [], scrolling: [SCROLLERS] };
  for (const sheet of [...sheetsOf(document), ...adoptedSheetsOf(document)]) if (!addScrollers(sheet, read)) return null;
  return read;
}

/** What may be scrolled beside the page; null: there is no telling, or too much. @param {string[]} selectors @returns {Element[] | null} */
function scrollersBy(selectors) {
  try {
    const found = foundAll(selectors.join(", "));
    return found.length > SCROLLER_LIMIT ? null : found;
  } catch {
    return null;
  }
}

/** @param {CSSStyleSheet} sheet @param {Rules} read @returns {boolean} */
function addScrollers(sheet, read) {
  try {
    return sheet.disabled || addFromRules(sheet.cssRules, read);
  } catch {
    return false; // of another origin
  }
}

/** @param {CSSRuleList} rules @param {Rules} read @returns {boolean} */
function addFromRules(rules, read) {
  if ((read.count += rules.length) > RULE_LIMIT) return false;
  for (const rule of rules) {
    if (isRule(rule, "CSSImportRule")) {
      if (rule.styleSheet && !addScrollers(rule.styleSheet, read)) return false;
    } else if (isRule(rule, "CSSStyleRule")) {
      // What is nested in another rule has selectors that mean nothing by themselves.
      if (rule.cssRules.length) return false;
      if (rule.style.overflowX || rule.style.overflowY) read.scrolling.push(rule.selectorText);
      const selector = rule.selectorText;
      read.far ||= selector.includes(":has(");
      if (selector.includes("~")) read.reaching.push(selector);
    } else {
      const inner = /** @type {CSSGroupingRule} */ (rule).cssRules;
      if (inner?.length && !isRule(rule, "CSSKeyframesRule") && (isScope(rule) || !addFromRules(inner, read))) return false;
    }
  }
  return true;
}

/** @param {CSSRule} rule */
const isScope = (rule) => rule.constructor.name === "CSSScopeRule";
