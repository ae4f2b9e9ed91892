// Where an element leads by its markup: a link's origin, a form's, a command. A label may stay while this changes.

import { attr, baseOf, byId, closestOf, controlOf, getterOf, has, nodeTypeOf, rootOf, tagOf } from "../dom/dom.js";
import { linkOf } from "./links.js";
import { numberOf } from "../dom/numbers.js";

/** @typedef {Record<string, string>} Leads */

/** Addresses of what is somewhere: of others, such as `javascript://`, what follows isn't a host. */
const NETWORK = /^((?:https?|wss?|ftp|file):)\/\/([^/?#]*)/i;
/** Longest address kept where all of it counts. */
const ADDRESS_KEPT = 200;
/** What a click on something inside activates. */
const ACTIVATORS = "a, area, button, label, summary, input, select, textarea";
const SUBMITTERS = new Set(["submit", "image"]);

/** A form's own controls can shadow its properties by their names, and a control's form is told by its getter alone. */
const formOfButton = getterOf(HTMLButtonElement.prototype, "form");
const formOfInput = getterOf(HTMLInputElement.prototype, "form");
const typeOfButton = getterOf(HTMLButtonElement.prototype, "type");
export const typeOfInput = getterOf(HTMLInputElement.prototype, "type");

/** The options whose values are told with a select, and the longest value. */
const CHOICES = 50;
const VALUE = 200;

/** Where an element leads, or what it stands in; null: nowhere. @param {Element} el @returns {Leads | null} */
export function leadsOf(el) {
  for (let at = /** @type {Element | null} */ (el); at; ) {
    const activator = closestOf(at, ACTIVATORS);
    if (activator) return ownLeads(activator, tagOf(activator));
    const root = rootOf(at);
    at = nodeTypeOf(root) === 11 ? /** @type {ShadowRoot} */ (root).host : null;
  }
  return null;
}

/** Where an element leads by itself, its own address told apart. @param {Element} el @param {string} tag @returns {Leads | null} */
export function ownLeads(el, tag) {
  switch (tag) {
    case "a":
    case "area":
      return linkLeads(el);
    case "button":
      return buttonLeads(el, typeOfButton.call(el), formOfButton.call(el));
    case "input": {
      const type = typeOfInput.call(el);
      return /^(submit|image|button|reset)$/.test(type) ? buttonLeads(el, type, formOfInput.call(el)) : null;
    }
    case "label": {
      const control = controlOf(el);
      return control ? { control: String(numberOf(control)) } : null;
    }
    default:
      return null;
  }
}

/** Whether a link's address isn't of anywhere, so that all of it counts. @param {Element} el */
export const isOpaque = (el) => !NETWORK.test(linkLeads(el)?.link ?? "http://");

/** @param {Element} el @returns {Leads | null} */
function linkLeads(el) {
  const href = linkOf(el);
  if (href === null || (!href && !has(el, "href"))) return null;
  /** @type {Leads} */
  const leads = { link: addressPlace(href) };
  if (has(el, "download")) leads.download = (attr(el, "download") ?? "").slice(0, ADDRESS_KEPT);
  return leads;
}

/** Scheme and origin of an address; all of it where it has none: what runs, whom it is sent to. @param {string} href */
export function addressPlace(href) {
  const found = NETWORK.exec(href);
  if (found) return `${found[1]}//${found[2].slice(found[2].lastIndexOf("@") + 1)}`;
  const inner = /^(blob:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)/i.exec(href);
  if (inner) return inner[1];
  return href.length <= ADDRESS_KEPT ? href : `${href.slice(0, ADDRESS_KEPT)}… ${href.length} ${hashOf(href)}`;
}

/** FNV-1a (Fowler, Noll, Vo) of 32 bits over UTF-16 units: tells long addresses apart. @param {string} text */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash.toString(16);
}

/** @param {Element} el @param {string} type @param {HTMLFormElement | null} form @returns {Leads | null} */
function buttonLeads(el, type, form) {
  /** @type {Leads} */
  const leads = {};
  const command = attr(el, "commandfor") ?? attr(el, "command");
  if (command !== null) {
    leads.command = `${attr(el, "command") ?? ""} ${attr(el, "commandfor") ?? ""} ${idNumber(el, "commandfor")}`;
  }
  if (has(el, "popovertarget")) leads.popover = `${attr(el, "popovertargetaction") ?? "toggle"} ${attr(el, "popovertarget")} ${idNumber(el, "popovertarget")}`;
  if (form && (SUBMITTERS.has(type) || type === "reset")) {
    leads.type = type;
    leads.form = String(numberOf(form));
    if (type !== "reset") addForm(leads, el, form);
  }
  for (const _ in leads) return leads;
  return null;
}

/** @param {Leads} leads @param {Element} el @param {HTMLFormElement} form */
function addForm(leads, el, form) {
  const own = (/** @type {string} */ name) => attr(el, `form${name}`) ?? attr(form, name);
  const base = baseOf(el);
  const action = own("action") || location.href;
  Object.assign(leads, {
    action: addressPlace(URL.canParse(action, base) ? new URL(action, base).href : action),
    method: (own("method") || "get").toLowerCase(),
  });
  const target = own("target");
  if (target) leads.target = target.slice(0, ADDRESS_KEPT);
}

/** @param {Element} el @param {string} name */
function idNumber(el, name) {
  const id = attr(el, name);
  const found = id ? byId(el, id) : null;
  return found ? numberOf(found) : 0;
}

/** Labels and values of a select's first options, where they aren't the same. @param {HTMLSelectElement} el @returns {[string, string][] | null} */
export function choicesOf(el) {
  /** @type {[string, string][]} */
  const choices = [];
  let differ = false;
  for (let i = 0; i < el.options.length && i < CHOICES; i++) {
    const { label, value } = el.options[i];
    choices.push([label.trim().slice(0, VALUE), value.slice(0, VALUE)]);
    differ ||= label.trim() !== value;
  }
  return differ ? choices : null;
}
