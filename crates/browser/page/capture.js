// capture(): the walk, written out as the arrays Rust reads.

import { activeOf, closestOf, documentElementOf, flatHolds, flatParentOf, isConnected, readyStateOf, scrollingElementOf, titleOf, isChecked, rectOf } from "./dom.js";
import { isLookKept, keepLook } from "./kept.js";
import { newLook } from "./look.js";
import { elementOf, numberOf, releaseGone } from "./numbers.js";
import { tableRole } from "./roles.js";
import { isVeiled, veilOf } from "./place.js";
import { COVERED } from "./states.js";
import { listsOfAlike, rowsAmong, tellRows } from "./rows.js";
import { observeRoot, versionNow } from "./version.js";
import { visit, flushRun } from "./walk.js";

/** Whether this script ran before any of the page's. */
export const atStart = document.readyState === "loading" && !document.body;
/** How often a host was reported; not again after that, answered or not. @type {WeakMap<Element, number>} */
const asked = new WeakMap();
const ASK_LIMIT = 2;
/** The version whose lost elements were let go. */
let tidied = 0;
/**
 * The controls that the last look at the whole document listed, if it left out rows.
 * @type {{version: number, alike: import("./walk.js").Entry[][]} | null}
 */
let listed = null;

/**
 * One look at the document, as JSON.
 * @param {{detail?: boolean, text?: boolean, rows?: boolean, scope?: number | null, until?: number | null, kept?: number}} [want] rows: of every control that shares its name, wherever it is; until: what holds both scope and it; kept: the token of a look that, if it still holds, needn't be told again @returns {string}
 */
export function capture({ detail = false, text = true, rows = false, scope = null, until = null, kept = 0 } = {}) {
  observeRoot(document);
  const want = `${detail} ${text} ${rows}`;
  if (kept && !scope && isLookKept(kept, want)) return JSON.stringify({ kept });
  if (tidied !== versionNow()) {
    tidied = versionNow();
    releaseGone();
  }
  /** @type {import("./walk.js").Walk} */
  const walk = { entries: [], look: newLook(), options: { detail, text, paths: new Map() }, run: null, active: activeOf(), hosts: [], covered: 0, tree: document, shadows: false };
  const root = !scope ? documentElementOf(document) : until ? holderOf(elementOf(scope), elementOf(until)) : elementOf(scope);
  if (root && isConnected(root)) {
    visit(walk, root, { index: -1, said: "", pointer: false, control: false, quiet: false, editable: false, bits: 0, label: closestOf(root, "label") !== null, item: true, table: closestOf(root, "table") !== null && tableRole(root) === "table" });
    flushRun(walk);
  }
  if (walk.covered > 0) drawVeil(walk);
  const alike = listsOfAlike(walk.entries);
  const rowsLeft = tellRows(alike, walk.look, rows || scope !== null);
  if (!scope) listed = rowsLeft ? { version: versionNow(), alike } : null;
  const page = scrollingElementOf(document) ?? documentElementOf(document);
  const hosts = walk.hosts.filter(isNewHost).map(numberOf);
  return JSON.stringify({
    token: scope ? 0 : keepLook(want, !walk.shadows && !hosts.length),
    url: location.href,
    title: titleOf(document),
    lang: documentElementOf(document)?.getAttribute("lang") ?? "",
    width: innerWidth,
    height: innerHeight,
    scrollX,
    scrollY,
    pageWidth: page?.scrollWidth ?? innerWidth,
    pageHeight: page?.scrollHeight ?? innerHeight,
    ready: readyStateOf(document),
    version: versionNow(),
    atStart,
    hosts,
    rowsLeft,
    address: walk.look.address,
    ...packed(walk.entries, walk.look.address),
  });
}

/**
 * What the rows of some elements are about, that the last look left out: number and label of each that has one. Null: the
 * document is another by now.
 * @param {number[]} numbers @returns {[number, import("./rows.js").RowLabel][] | null}
 */
export function rowsOf(numbers) {
  if (!listed || listed.version !== versionNow()) return null;
  const wanted = new Set(numbers.map(elementOf).filter((el) => el !== null));
  return rowsAmong(listed.alike, wanted).map(([el, row]) => [numberOf(el), row]);
}

/** The innermost element that holds two; null when one of them is gone. @param {Element | null} a @param {Element | null} b @returns {Element | null} */
function holderOf(a, b) {
  if (!a || !b || !isConnected(a) || !isConnected(b)) return null;
  for (let at = /** @type {Element | null} */ (a); at; at = flatParentOf(at)) if (flatHolds(at, b)) return at;
  return null;
}

/** Whether a host may have a closed root that nobody has looked for yet. @param {Element} el */
function isNewHost(el) {
  const times = asked.get(el) ?? 0;
  if (times >= ASK_LIMIT || isChecked(el) || !el.matches(":defined")) return false;
  const rect = rectOf(el);
  if (rect.width < 4 || rect.height < 4) return false;
  asked.set(el, times + 1);
  return true;
}

/** Marks what stands behind a modal layer as covered, wherever it is. @param {import("./walk.js").Walk} walk */
function drawVeil(walk) {
  const veil = veilOf(walk.look);
  if (!veil.length) return;
  for (const entry of walk.entries) if (entry.el && isVeiled(entry.el, veil)) entry.states |= COVERED;
}

/** What stands in the first number of a node, above its kind (2 bits): what else is there of it. */
const NAMED = 4;
const VALUED = 8;
const MORE = 16;
const LINKED = 32;
const TYPED = 64;
/** The role's place among the terms stands above all that. */
const ROLE_AT = 128;
const HUNDRED = 100;

/**
 * The nodes, dropped entries left out, as few numbers and words as will do: they are written, sent and read by the thousand.
 * For each node the numbers: flags, the element's number (0: none; else the
 * difference to the last one given, less 1 where that isn't above 0), how many nodes back its
 * parent stands (0: none), states, x, y, width, height in hundredths of a pixel, and with TYPED the type's place among the
 * terms. The words follow in the same order: name, value, link (from the # on where it is one inside the page).
 * @param {import("./walk.js").Entry[]} entries @param {string | null} address
 */
function packed(entries, address) {
  /** @type {Map<string, number>} */
  const terms = new Map();
  const termAt = (/** @type {string} */ term) => {
    let at = terms.get(term);
    if (at === undefined) terms.set(term, (at = terms.size));
    return at;
  };
  /** @type {number[]} */
  const places = [];
  /** @type {number[]} */
  const numbers = [];
  /** @type {string[]} */
  const words = [];
  const more = [];
  let count = 0;
  let last = 0;
  for (const entry of entries) {
    const parent = entry.parent < 0 ? -1 : places[entry.parent];
    if (entry.dropped) {
      places.push(parent);
      continue;
    }
    const { rect, name, value, extra } = entry;
    let flags = entry.kind + termAt(entry.role) * ROLE_AT;
    if (name !== "") flags += NAMED;
    if (value !== null) flags += VALUED;
    let type = -1;
    const href = extra?.href;
    if (extra) {
      if (isOnly(extra, "type")) [type, flags] = [termAt(extra.type), flags + TYPED];
      else if (href && isOnly(extra, "href")) flags += LINKED;
      else flags += MORE;
    }
    const n = entry.el ? numberOf(entry.el) : 0;
    numbers.push(flags, n === 0 ? 0 : n > last ? n - last : n - last - 1, parent < 0 ? 0 : count - parent, entry.states);
    if (rect) numbers.push(hundredths(rect.x), hundredths(rect.y), hundredths(rect.width), hundredths(rect.height));
    else numbers.push(0, 0, 0, 0);
    if (type >= 0) numbers.push(type);
    if (name !== "") words.push(name);
    if (value !== null) words.push(value);
    if (flags & LINKED) words.push(address && href.startsWith(address) && href[address.length] === "#" ? href.slice(address.length) : href);
    else if (flags & MORE) more.push(extra);
    if (n) last = n;
    places.push(count++);
  }
  return { terms: [...terms.keys()], numbers, words, more };
}

/** @param {Record<string, any>} extra @param {string} key */
function isOnly(extra, key) {
  for (const k in extra) if (k !== key) return false;
  return key in extra;
}

/** @param {number} px */
const hundredths = (px) => Math.round(px * HUNDRED) || 0;
