// What an element shows, whatever its name is: the text in it as it is laid out, generated text and list markers included.
// It is told where it isn't just the name, so that neither a static aria-label nor the lack of a name hides that it changed.

import { adoptedSheetsOf, attr, flatChildrenOf, has, isElement, isMatch, nodeTypeOf, parentNodeOf, queryAll, rootOf, shadowOf, sheetsOf, styleOf, tagOf, textContentOf, isShadowRoot, isDocument } from "../dom/dom.js";
import { isEditable } from "../dom/focus.js";
import { glyphsIn } from "./glyphs.js";
import { hintOf } from "../names/hints.js";
import { standIn } from "../names/labels.js";
import { sheetsIn } from "../dom/look.js";
import { normalize } from "./matching.js";
import { nameOf } from "../names/names.js";
import { generatedText, pseudoText } from "../names/content.js";
import { isSureControl } from "../capture/operable.js";
import { roleOf } from "../names/roles.js";
import { tidyText } from "./spacing.js";
import { comesByPointing } from "../dom/user-action.js";
import { GONE, UNSEEN, presenceIn } from "../dom/visible.js";
import { isRule, isGroupOfRules } from "../dom/rules.js";

/** @typedef {import("../dom/look.js").Look} Look */
/** @typedef {{text: string, cut?: boolean}} Said cut: it is only how a longer one begins */

/** So much is told in a look; facts tell more, for a counter in it may have grown. */
const SAID_TOLD = 500;
const SAID_NODES = 300;
/** Groups of style rules are read so deep. */
const GROUPS_DEEP = 20;
/** What shows nothing of the page's text, or what a person has put in. */
const SAYS_NOTHING = new Set(["script", "style", "template", "noscript", "head", "title", "desc", "metadata", "defs", "symbol", "select", "textarea", "iframe", "frame", "object", "embed", "canvas", "video", "audio", "img", "datalist", "rp"]);
const HOLDERS = /^(input|select|textarea|iframe|frame|fencedframe|object|embed|canvas|video|audio|img|html|body|option|optgroup|area)$/;
const HOLDER_ROLES = new Set(["textbox", "searchbox", "spinbutton", "slider", "scrollbar", "progressbar", "meter", "application"]);
const IN_LINE = new Set(["a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "dfn", "em", "font", "i", "kbd", "mark", "q", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tspan", "u", "var", "wbr"]);
/** Markers that are no text. */
const BULLETS = /^(none|disc|circle|square|disclosure-open|disclosure-closed)$/;
/** Those that are the number of the item, however it is written. */
const NUMBERS = /^(decimal|decimal-leading-zero|(lower|upper)-(roman|alpha|latin|greek))$/;

/** Items, whose own text ends where a list of further items in them begins: that one opens and closes. */
const ITEMS = new Set(["listitem", "treeitem", "menuitem"]);
const ITEM_LISTS = "ul, ol, menu, dir, [role=list], [role=tree], [role=group], [role=menu]";

/** @typedef {{text: string, nodes: number, most: number, full: boolean, whole: boolean, flat: boolean, look: Look}} Reading full: there was more; whole: controls in it are part of it; flat: lists in it are not */

/**
 * What an element shows; null where that is its name, or what a person has put in.
 * @param {Element} el @param {string} role @param {string} name as it was computed in this look @param {Look} look @param {number} [most] characters
 * @returns {Said | null}
 */
export function saidOf(el, role, name, look, most = SAID_TOLD) {
  const shown = standIn(el);
  if (shown === el && (look.plain.has(el) || HOLDERS.test(tagOf(el)) || HOLDER_ROLES.has(role) || isEditable(el))) return null;
  const whole = isSureControl(el);
  let read = reading(shown, most, whole, ITEMS.has(role), look);
  // An item that holds nothing but a list is what that one says.
  if (read.flat && !read.text.trim()) read = reading(shown, most, whole, false, look);
  const text = tidyText(read.text);
  const cut = text.length > most || read.full;
  if (!cut && normalize(text) === normalize(name)) return null;
  return cut ? { text: text.slice(0, most), cut } : { text };
}

/** What an item says besides the lists in it; "" where there is none in it, or nothing else. @param {Element} el @param {string} role @param {Look} look @param {number} most characters */
export function besidesLists(el, role, look, most) {
  if (!ITEMS.has(role) || !queryAll(el, ITEM_LISTS).length) return "";
  return tidyText(reading(el, most, true, true, look).text).slice(0, most);
}

/** @param {Element} el @param {number} most characters that are told @param {boolean} whole @param {boolean} flat @param {Look} look @returns {Reading} */
function reading(el, most, whole, flat, look) {
  const read = { text: "", nodes: SAID_NODES, most: 2 * most, full: false, whole, flat, look };
  readInside(read, el);
  return read;
}

/** What an element says altogether: for a run of text in it. @param {Element} el @param {Look} look @returns {Said} */
export function wholeText(el, look) {
  const role = roleOf(el);
  const name = nameOf(el, role, look);
  return saidOf(el, role, name, look) ?? { text: name };
}

/** A word for an element that neither has a name nor says anything; "" where it does. @param {Element} el @param {string} name @param {Said | null} said @param {Look} look */
export const wordlessHint = (el, name, said, look) => (normalize(name) || normalize(said?.text ?? "") || has(el, "placeholder") ? "" : iconHint(standIn(el), look));

/** A word for an icon, with the numbers of the glyphs that it shows: all of them, as they are laid out one over the other. @param {Element} el @param {Look} look */
export function iconHint(el, look) {
  return [hintOf(el), ...glyphsIn(reading(el, SAID_TOLD, true, false, look).text)].filter(Boolean).join(" ");
}

/** White space counts once: markup is indented as its author likes. @param {Reading} read @param {string} text */
const add = (read, text) => void (read.text += (read.text.endsWith(" ") ? text.trimStart() : text).replace(/\s+/g, " "));

/** @param {Reading} read @param {Element} el */
function readInside(read, el) {
  const presence = presenceIn(read.look, el);
  const shown = presence !== UNSEEN && presence !== GONE;
  const generated = shown && sheetsIn(read.look, el).pseudo;
  if (shown) add(read, markerText(el, read.look));
  if (generated) add(read, generatedText(read.look, el, "::before"));
  for (const child of flatChildrenOf(el)) {
    read.full ||= read.text.length > read.most || --read.nodes < 0;
    if (read.full) return;
    if (nodeTypeOf(child) !== 3) isElement(child) && readSaid(read, child);
    else if (shown) add(read, /** @type {Text} */ (child).data);
  }
  if (generated) add(read, generatedText(read.look, el, "::after"));
}

/** @param {Reading} read @param {Element} el */
function readSaid(read, el) {
  const tag = tagOf(el);
  if (tag === "br") return add(read, " ");
  if (SAYS_NOTHING.has(tag) || presenceIn(read.look, el) === GONE || (read.look.rest && comesByPointing(read.look, el, textContentOf(el)))) return;
  if (!read.whole && isSureControl(el) || read.flat && isMatch(el, ITEM_LISTS)) return add(read, " ");
  if (tag === "input") {
    const { type, value } = /** @type {HTMLInputElement} */ (el);
    if (/^(button|submit|reset)$/.test(type)) add(read, ` ${value} `);
    return;
  }
  const inline = IN_LINE.has(tag) && !shadowOf(el);
  if (!inline) add(read, " ");
  readInside(read, el);
  if (!inline) add(read, " ");
}

/** The text of a list item's marker, as far as it is text: of its own `content`, of a string, or of a style that the page defines. @param {Element} el @param {Look} look */
function markerText(el, look) {
  if (tagOf(el) !== "li" && !sheetsIn(look, el).marker) return "";
  const style = styleOf(el);
  if (!style.display.includes("list-item")) return "";
  const own = pseudoText(el, "::marker");
  if (own) return `${own} `;
  const type = style.listStyleType;
  if (BULLETS.test(type)) return "";
  if (NUMBERS.test(type)) return ordinalText(el, look);
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(type);
  return quoted ? `${quoted[1].replace(/\\(.)/g, "$1")} ` : `${counterStyle(type, el, look)} `;
}

/** The number of an item of a numbered list. @param {Element} el @param {Look} look */
function ordinalText(el, look) {
  const list = parentNodeOf(el);
  if (!isElement(list) || tagOf(list) !== "ol") return "";
  let ordinals = look.ordinals.get(list);
  if (!ordinals) {
    look.ordinals.set(list, (ordinals = new Map()));
    const items = flatChildrenOf(list).filter((child) => isElement(child) && tagOf(child) === "li");
    const step = has(list, "reversed") ? -1 : 1;
    let next = Number.parseInt(attr(list, "start") ?? "", 10);
    if (Number.isNaN(next)) next = step > 0 ? 1 : items.length;
    for (const item of /** @type {Element[]} */ (items)) {
      const own = Number.parseInt(attr(item, "value") ?? "", 10);
      if (!Number.isNaN(own)) next = own;
      ordinals.set(item, next);
      next += step;
    }
  }
  return `${ordinals.get(el) ?? ""}. `;
}

/** What a style of counters that the page defines says, whichever the count; the name of one that it doesn't. Those of the element's own tree come first, then those around it. @param {string} name @param {Element} el @param {Look} look */
function counterStyle(name, el, look) {
  for (let tree = /** @type {Node | null} */ (rootOf(el)); tree; tree = isShadowRoot(tree) ? rootOf(tree.host) : null) {
    let styles = look.counters.get(tree);
    if (!styles) look.counters.set(tree, (styles = counterStyles(tree)));
    const says = styles.get(name);
    if (says !== undefined) return says;
  }
  return name;
}

/** @param {Node} tree @returns {Map<string, string>} */
function counterStyles(tree) {
  /** @type {Map<string, string>} */
  const styles = new Map();
  if (!(isDocument(tree) || isShadowRoot(tree))) return styles;
  for (const sheet of [...sheetsOf(tree), ...adoptedSheetsOf(tree)]) readCounters(sheet, styles);
  return styles;
}

/** @param {{cssRules: CSSRuleList}} rules of a sheet, or grouped @param {Map<string, string>} styles @param {number} [depth] */
function readCounters(rules, styles, depth = 0) {
  try {
    for (const rule of depth < GROUPS_DEEP ? rules.cssRules : []) {
      if (isRule(rule, "CSSCounterStyleRule")) styles.set(rule.name, [rule.prefix, rule.symbols, rule.additiveSymbols, rule.suffix].map(unquoted).join(""));
      else if (isRule(rule, "CSSImportRule") && rule.styleSheet) readCounters(rule.styleSheet, styles, depth + 1);
      else if (isGroupOfRules(rule)) readCounters(rule, styles, depth + 1);
    }
  } catch {
    // of another origin
  }
}

/** @param {string} symbols */
const unquoted = (symbols) => [...symbols.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((found) => found[1].replace(/\\(.)/g, "$1")).join(" ");
