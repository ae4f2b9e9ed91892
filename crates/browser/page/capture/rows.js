// Rows: what a control stands beside. Of several controls of one name, what the row of each is about tells them apart, and
// a row may come to be about something else while its elements stay.
//
// A row is the nearest table row, list item, article, option or labelled group; failing that, the largest of several
// siblings of one kind that hold one control of the name each. What it says are its label, its headings and row headers,
// then the texts in it that belong to no control, links apart, and last the names of pictures. Times, live regions and bare numbers are left out: they
// come and go by themselves. The one that tells it from its neighbours is what it is about.

import { attr, flatChildrenOf, flatHolds, flatParentOf, has, isConnected, isElement, nodeTypeOf, tagOf, previousElementOf, nextElementOf } from "../dom/dom.js";
import { isSelfChanging } from "../changes/cause.js";
import { standIn } from "../names/labels.js";
import { newLook } from "../dom/look.js";
import { normalize, reads } from "../text/matching.js";
import { nameOf } from "../names/names.js";
import { isSureControl } from "./operable.js";
import { roleOf } from "../names/roles.js";
import { tidyText } from "../text/spacing.js";
import { OFFSCREEN } from "../names/states.js";
import { isReadable } from "../text/text.js";
import { isVisibleIn } from "../dom/visible.js";

/** @typedef {{text: string, exact?: boolean, self_changing?: boolean, place?: [number, number]}} RowLabel exact: only digits tell it from the next row, so they count; place: which text of the row it is, of how many */
/** @typedef {{text: import("../text/matching.js").HeldText, place?: [number, number] | null}} HeldRow */
/** @typedef {import("../dom/look.js").Look} Look */
/** @typedef {import("./walk.js").Entry} Entry */
/** @typedef {{text: string, like: string, plain: string}} Said a text of a row: what it is like, and how it compares */

const ROW_TAGS = new Set(["tr", "li", "article"]);
const ROW_ROLES = new Set(["row", "listitem", "article", "option", "treeitem"]);
const GROUP_ROLES = new Set(["group", "radiogroup"]);
/** Their text is one, however it is marked up. */
const WHOLE = new Set(["td", "th", "h1", "h2", "h3", "h4", "h5", "h6", "p", "a", "dt", "legend"]);
const WHOLE_ROLES = new Set(["cell", "gridcell", "rowheader", "heading", "link"]);
const HEADS = new Set(["h1", "h2", "h3", "h4", "h5", "h6", "legend"]);
const HEAD_ROLES = new Set(["rowheader", "heading"]);
const PASSING = new Set(["time", "progress", "meter", "output", "script", "style", "template", "select", "textarea"]);
const PASSING_ROLES = new Set(["status", "timer", "alert", "log", "progressbar", "meter", "marquee"]);
const TEXTS = 8;
const TEXT_LENGTH = 200;
/** How many nodes of a row are looked at, and how far up a row is looked for. */
const NODES = 200;
const HEIGHT = 30;

/** What each control was last said to stand beside. @type {WeakMap<Element, {row: Element, label: RowLabel}>} */
const told = new WeakMap();

/** What a text is among like ones, whichever number it has: for grouping. Whether one is the same as another is no matter of this. @param {string} text */
function likeness(text) {
  const folded = normalize(text);
  return /\p{L}/u.test(folded) ? folded.replace(/\p{N}+/gu, "") : folded;
}

/** What a control's row says now, what it is about first. @param {Element} el @returns {{row: RowLabel | null, rowTexts: string[]}} */
export function rowFacts(el) {
  const known = told.get(el);
  const row = known && isConnected(known.row) && flatHolds(known.row, standIn(el)) ? known.row : rowAbove(standIn(el));
  const rowTexts = row ? textsOf(row, newLook()).filter((text) => normalize(text) !== normalize(nameOf(el))) : [];
  if (!rowTexts.length) return { row: null, rowTexts };
  const same = known?.row === row && rowTexts.find((text) => isSame(known.label, text));
  return { row: same && known ? { ...known.label, text: same } : { text: rowTexts[0] }, rowTexts };
}

/** Whether a control's row still says what it is held to, in the place where it did while it says as much as it did. @param {Element} el @param {HeldRow} held */
export function saysInRow(el, { text, place }) {
  const { rowTexts } = rowFacts(el);
  const among = place && rowTexts.length === place[1] ? [rowTexts[place[0]]] : rowTexts;
  return among.some((one) => reads(text, one));
}

/** @param {RowLabel} label @param {string} text */
const isSame = (label, text) => normalize(label.text) === normalize(text);

/** Of so many controls outside the viewport it is told at once what their rows are about: few of them are ever shown. */
const AWAY_MANY = 64;

/** The controls in lists of one role and name, up to digits. @param {Entry[]} entries @returns {Entry[][]} */
export function listsOfAlike(entries) {
  /** @type {Map<string, Entry[]>} */
  const alike = new Map();
  /** @type {Map<string, string>} */
  const names = new Map();
  for (const entry of entries) {
    if (entry.kind !== 2 || entry.dropped || !entry.el) continue;
    const key = (entry.key ||= keyOf(entry, names));
    const list = alike.get(key);
    if (list) list.push(entry);
    else alike.set(key, [entry]);
  }
  return [...alike.values()];
}

/** @param {Entry} entry @param {Map<string, string>} names */
function keyOf(entry, names) {
  let name = names.get(entry.name);
  if (name === undefined) names.set(entry.name, (name = likeness(entry.name)));
  return `${entry.role} ${name}`;
}

/**
 * Notes with each control that shares its name with others what its row is about; outside the viewport, unless all are wanted,
 * only of some, and of those of which it was told before.
 * @param {Entry[][]} alike @param {Look} look @param {boolean} all @returns {boolean} whether some were left out
 */
export function tellRows(alike, look, all) {
  /** @type {Map<Element, Said[]>} */
  const texts = new Map();
  let away = 0;
  for (const list of alike) {
    for (let i = 0; i < list.length; i++) {
      const entry = list[i];
      const el = /** @type {Element} */ (entry.el);
      const known = told.get(el);
      if (!all && entry.states & OFFSCREEN && list.length > 1 && !known && ++away > AWAY_MANY) continue;
      // Nothing in its row has changed.
      if (entry.was >= 0 && known) {
        if (entry.extra?.row !== known.label) entry.extra = { ...entry.extra, row: known.label };
      } else tellRow(entry, list[i - 1]?.el ?? null, list[i + 1]?.el ?? null, texts, look);
    }
  }
  return away > AWAY_MANY;
}

/** What the rows of some controls are about, by the look that listed them. @param {Entry[][]} alike @param {Set<Element>} wanted @returns {[Element, RowLabel][]} */
export function rowsAmong(alike, wanted) {
  const look = newLook();
  const texts = new Map();
  /** @type {[Element, RowLabel][]} */
  const rows = [];
  for (const list of alike) {
    for (let i = 0; i < list.length; i++) {
      const el = /** @type {Element} */ (list[i].el);
      if (!wanted.has(el)) continue;
      tellRow(list[i], list[i - 1]?.el ?? null, list[i + 1]?.el ?? null, texts, look);
      const row = list[i].extra?.row;
      if (row) rows.push([el, row]);
    }
  }
  return rows;
}

/**
 * @param {Entry} entry @param {Element | null} before the control of this name before it @param {Element | null} after
 * @param {Map<Element, Said[]>} texts @param {Look} look
 */
function tellRow(entry, before, after, texts, look) {
  const el = /** @type {Element} */ (entry.el);
  const known = told.get(el);
  if (!before && !after && !known) return;
  const [here, above, below] = [el, before, after].map((one) => one && standIn(one));
  const row = !here ? null : above || below ? rowAmong(here, above, below) : known && isConnected(known.row) && flatHolds(known.row, here) ? known.row : null;
  if (!row) return void told.delete(el);
  const own = normalize(entry.name);
  const said = textsIn(texts, row, look).filter((one) => one.plain !== own);
  if (!said.length) return;
  const kept = known?.row === row && said.find(({ text }) => text === known.label.text || isSame(known.label, text));
  const found = kept ? { text: kept.text, exact: known.label.exact } : labelAmong(said, neighbours(row).flatMap((next) => textsIn(texts, next, look)));
  /** @type {RowLabel} */
  const label = { ...found, place: [said.findIndex((one) => one.text === found.text), said.length] };
  if (look.changingTexts.has(found.text)) label.self_changing = true;
  told.set(el, { row, label });
  entry.extra = { ...entry.extra, row: label };
}

/**
 * Of what a row says, the first that its neighbours don't. Where only digits tell it from what they say there, they count: what
 * stands further back, such as a status, is not what the row is about.
 * @param {Said[]} said @param {Said[]} others @returns {RowLabel}
 */
function labelAmong(said, others) {
  const telling = said.find((one) => !others.some((other) => other.plain === one.plain));
  if (!telling) return { text: said[0].text };
  return others.some((other) => other.like === telling.like) ? { text: telling.text, exact: true } : { text: telling.text };
}

/** The siblings of a row's kind just before and after it. @param {Element} row @returns {Element[]} */
function neighbours(row) {
  return [previousElementOf(row), nextElementOf(row)].filter((next) => next !== null && tagOf(next) === tagOf(row)).map((next) => /** @type {Element} */ (next));
}

/** @param {Map<Element, Said[]>} known @param {Element} row @param {Look} look */
function textsIn(known, row, look) {
  let texts = known.get(row);
  if (!texts) known.set(row, (texts = textsOf(row, look).map((text) => ({ text, like: likeness(text), plain: normalize(text) }))));
  return texts;
}

/** The row that a control is in. @param {Element} el @returns {Element | null} */
function rowAbove(el) {
  let height = 0;
  for (let at = flatParentOf(el); at && height < HEIGHT; at = flatParentOf(at), height++) if (isRow(at)) return at;
  return null;
}

/** The row of a control, such that it holds no other of its name. @param {Element} el @param {Element | null} before @param {Element | null} after @returns {Element | null} */
function rowAmong(el, before, after) {
  const row = rowAbove(el);
  if (row && !flatHolds(row, before) && !flatHolds(row, after)) return row;
  let at = el;
  for (let height = 0; height < HEIGHT; height++) {
    const up = flatParentOf(at);
    if (!up) return null;
    const [holdsBefore, holdsAfter] = [before !== null && flatHolds(up, before), after !== null && flatHolds(up, after)];
    if (holdsBefore || holdsAfter) {
      const other = childTowards(up, /** @type {Element} */ (holdsAfter ? after : before));
      return at !== el && other && tagOf(other) === tagOf(at) ? at : null;
    }
    at = up;
  }
  return null;
}

/** The child of an element in which another is. @param {Element} up @param {Element} inner @returns {Element | null} */
function childTowards(up, inner) {
  for (let at = inner, height = 0; height < HEIGHT; height++) {
    const above = flatParentOf(at);
    if (above === up) return at;
    if (!above) return null;
    at = above;
  }
  return null;
}

/** @param {Element} el */
function isRow(el) {
  const role = attr(el, "role");
  if (role ? ROW_ROLES.has(role) : ROW_TAGS.has(tagOf(el))) return true;
  return (role ? GROUP_ROLES.has(role) : tagOf(el) === "fieldset") && isReadable(nameOf(el));
}

/** What a row says, its label and headings first; no more than is needed to tell rows apart. @param {Element} row @param {Look} look @returns {string[]} */
function textsOf(row, look) {
  const label = has(row, "aria-label") || has(row, "aria-labelledby") || tagOf(row) === "fieldset" ? nameOf(row, roleOf(row), look) : "";
  const read = { heads: isReadable(label) ? [tidyText(label).slice(0, TEXT_LENGTH)] : [], texts: /** @type {string[]} */ ([]), pictures: /** @type {string[]} */ ([]), controls: 0, nodes: NODES, look };
  readInto(read, row);
  return [...new Set([...read.heads, ...read.texts, ...read.pictures])].slice(0, TEXTS);
}

/** @typedef {{heads: string[], texts: string[], pictures: string[], controls: number, nodes: number, look: Look}} Reading */

/** @param {Reading} read @param {Element} el */
function readInto(read, el) {
  for (const child of flatChildrenOf(el)) {
    if (read.texts.length >= TEXTS || --read.nodes < 0) return;
    if (nodeTypeOf(child) === 3) {
      const text = tidyText(/** @type {Text} */ (child).data).trim();
      if (isReadable(text) && isSaid(text) && isVisibleIn(read.look, el)) {
        read.texts.push(text.slice(0, TEXT_LENGTH));
        if (isSelfChanging(el, read.look)) read.look.changingTexts.add(text.slice(0, TEXT_LENGTH));
      }
    } else if (isElement(child)) readElement(read, child);
  }
}

/** @param {Reading} read @param {Element} el */
function readElement(read, el) {
  const tag = tagOf(el);
  const role = attr(el, "role") ?? "";
  if (PASSING.has(tag) || PASSING_ROLES.has(role) || has(el, "aria-live")) return;
  const link = role === "link" || (tag === "a" && (!role || WHOLE_ROLES.has(role)));
  if (!link && !WHOLE_ROLES.has(role) && isSureControl(el)) return void read.controls++;
  if (tag === "img" || role === "img") {
    const name = isVisibleIn(read.look, el) ? tidyText(nameOf(el, "img", read.look)).slice(0, TEXT_LENGTH) : "";
    if (!isReadable(name) || !isSaid(name)) return;
    read.pictures.push(name);
    if (isSelfChanging(el, read.look)) read.look.changingTexts.add(name);
    return;
  }
  const [first, controls] = [read.texts.length, read.controls];
  readInto(read, el);
  if (!WHOLE.has(tag) && !WHOLE_ROLES.has(role)) return;
  const texts = read.texts.splice(first);
  const whole = read.controls === controls && texts.length > 1 ? [texts.join(" ").slice(0, TEXT_LENGTH)] : texts;
  if (whole !== texts && texts.some((text) => read.look.changingTexts.has(text))) read.look.changingTexts.add(whole[0]);
  const isHead = HEADS.has(tag) || HEAD_ROLES.has(role) || (tag === "th" && attr(el, "scope") === "row");
  (isHead ? read.heads : read.texts).push(...whole);
}

/** Whether a text can be what a row is about: it has a letter, or is the number of something. @param {string} text */
const isSaid = (text) => /\p{L}/u.test(text) || /^[#\u2116]?\s?\p{N}{3,}$/u.test(text);
