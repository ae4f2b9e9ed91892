// The members of an entry that only some elements have.

import { attr, has, tagOf } from "../dom/dom.js";
import { choicesOf, isOpaque, leadsOf, ownLeads } from "./leads.js";
import { LINK_LIMIT, linkOf } from "./links.js";
import { xpathOf } from "../dom/xpath.js";

/** Most option labels listed with a select. */
const OPTIONS_SHOWN = 12;
/** Attributes that teams mark elements with for tests, the likeliest first. */
export const TEST_ATTRIBUTES = ["data-testid", "data-test-id", "data-test", "data-qa", "data-cy"];

/** The test id of an element, or null. @param {Element} el @returns {string | null} */
export function testIdOf(el) {
  for (const name of TEST_ATTRIBUTES) {
    const value = attr(el, name);
    if (value) return value;
  }
  return null;
}

/**
 * @param {Element} el @param {string} tag @param {string} role
 * @param {import("./walk.js").Entry} entry @param {import("./walk.js").WalkOptions} options
 * @returns {Record<string, any> | null}
 */
export function extraOf(el, tag, role, entry, options) {
  /** @type {Record<string, any>} */
  const extra = entry.extra ?? {};
  if (tag === "a" || tag === "area") put(extra, "href", linkOf(el)?.slice(0, LINK_LIMIT));
  else if (tag === "input") inputExtra(extra, /** @type {HTMLInputElement} */ (el));
  else if (tag === "textarea") put(extra, "placeholder", attr(el, "placeholder"));
  else if (tag === "select") selectExtra(extra, /** @type {HTMLSelectElement} */ (el));
  if (role === "heading") extra.level = headingLevel(el, tag);
  if (role === "img" && tag === "img") put(extra, "href", null);
  addLeads(extra, el, tag);
  const title = attr(el, "title");
  if (title && title !== entry.name) extra.title = title;
  if (entry.sure === 1 && entry.by) extra.by = entry.by;
  if (options.detail) detailExtra(extra, el, options.paths);
  for (const _ in extra) return extra;
  return null;
}

/** Where it leads, beside its address. @param {Record<string, any>} extra @param {Element} el @param {string} tag */
function addLeads(extra, el, tag) {
  const leads = tag === "a" || tag === "area" ? (has(el, "download") || isOpaque(el) ? ownLeads(el, tag) : null) : leadsOf(el);
  if (leads) extra.leads = leads;
}

/** @param {Record<string, any>} extra @param {string} key @param {string | null | undefined} value */
function put(extra, key, value) {
  if (value) extra[key] = value;
}

/** @param {Record<string, any>} extra @param {HTMLInputElement} el */
function inputExtra(extra, el) {
  const type = el.type;
  if (type !== "text") extra.type = type;
  put(extra, "placeholder", attr(el, "placeholder"));
}

/** @param {Record<string, any>} extra @param {HTMLSelectElement} el */
function selectExtra(extra, el) {
  const options = el.options;
  extra.options = options.length;
  extra.opts = [];
  const choices = choicesOf(el);
  if (choices) extra.choices = choices;
  for (let i = 0; i < options.length && i < OPTIONS_SHOWN; i++) extra.opts.push(options[i].label.trim());
}

/** The greatest level of a heading that counts: what browsers keep it in. */
const GREATEST_LEVEL = 2 ** 31 - 1;

/** What is no positive integer is no level (WAI-ARIA 1.2, aria-level). @param {Element} el @param {string} tag */
export function headingLevel(el, tag) {
  const given = attr(el, "aria-level") ?? "";
  const level = /^\s*\d+\s*$/.test(given) ? Number(given) : 0;
  return level >= 1 && level <= GREATEST_LEVEL ? level : /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}

/** @param {Record<string, any>} extra @param {Element} el @param {Map<Element, string>} paths */
export function detailExtra(extra, el, paths) {
  extra.tag = tagOf(el);
  extra.xpath = xpathOf(el, paths);
  put(extra, "testid", testIdOf(el));
}
