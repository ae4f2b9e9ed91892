// What a look found, as few numbers and words as will do.

import { FARTHEST } from "../dom/areas.js";
import { numberOf } from "../dom/numbers.js";

/** @typedef {import("./walk.js").Entry} Entry */

/**
 * What was told of a look.
 * @typedef {object} Told
 * @property {Entry[]} entries
 * @property {number[]} places of each entry among the nodes: of its parent, when it was dropped
 * @property {number[]} parents the entry that each is in
 * @property {number[]} states as they were told; -1: dropped
 * @property {(import("./rows.js").RowLabel | undefined)[]} rows
 */

/** What stands in the first number of a node, above its kind (2 bits): what else is there of it. */
const NAMED = 4;
const VALUED = 8;
const MORE = 16;
const LINKED = 32;
const TYPED = 64;
/** The role's place among the terms stands above all that. */
const ROLE_AT = 128;
const HUNDRED = 100;
/** What stands in place of the first number for nodes that were told before. */
const RUN = -1;

/**
 * The nodes, dropped entries left out, as few numbers and words as will do: they are written, sent and read by the thousand.
 * For each node the numbers: flags, the element's number (0: none; else the
 * difference to the last one given, less 1 where that isn't above 0), how many nodes back its
 * parent stands (0: none), states, x, y, width, height in hundredths of a pixel, and with TYPED the type's place among the
 * terms. The words follow in the same order: name, value, link (from the # on where it is one inside the page).
 * Nodes that were told before, at the end of the look that is the base, are given as a run: -1, the first one's place there,
 * how many, how many nodes back the parent of those stands whose parent isn't in the run, and how far they have moved across
 * and down, in hundredths of a pixel.
 * @param {Entry[]} entries @param {string | null} address @param {Told | null} base
 */
export function packed(entries, address, base) {
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
  /** @type {SameRun | null} */
  let run = null;
  for (const entry of entries) {
    const parent = entry.parent < 0 ? -1 : places[entry.parent];
    if (entry.dropped) {
      places.push(parent);
      continue;
    }
    const before = base ? placeBefore(base, entry) : -1;
    if (base && before >= 0) {
      if (!run || !goesOn(run, base, entry, before, parent, count)) run = beginRun(numbers, entry, before, parent, count);
      numbers[run.counted]++;
      places.push(count++);
      continue;
    }
    run = null;
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
  return { terms: [...terms.keys()], numbers, words, more, places };
}

/** What is to be known of a look that was told, to tell the next by it. @param {Entry[]} entries @param {number[]} places @returns {Told} */
export function toldOf(entries, places) {
  const parents = [];
  const states = [];
  const rows = [];
  for (const entry of entries) {
    parents.push(entry.parent);
    states.push(entry.dropped ? -1 : entry.states);
    rows.push(entry.extra?.row);
  }
  return { entries, places, parents, states, rows };
}

/** @typedef {{counted: number, before: number, count: number, parent: number, x: number, y: number}} SameRun counted: where its length stands; before and count: the places of its first node, then and now */

/** Where a node stood that is to be told as it was, but for its place; -1: it is to be told anew. @param {Told} base @param {Entry} entry */
function placeBefore(base, { was, moved, states, extra }) {
  if (was < 0 || base.states[was] !== states || !isSameRow(base.rows[was], extra?.row)) return -1;
  return moved && isExact(moved.x) && isExact(moved.y) ? base.places[was] : -1;
}

/** @param {import("./rows.js").RowLabel | undefined} a @param {import("./rows.js").RowLabel | undefined} b */
const isSameRow = (a, b) => a === b || (a !== undefined && b !== undefined && a.text === b.text && a.exact === b.exact);

/** Whether a length is told without rounding. @param {number} px */
const isExact = (px) => Math.abs(px * HUNDRED - Math.round(px * HUNDRED)) < 1e-6;

/** @param {number[]} numbers @param {Entry} entry @param {number} before @param {number} parent @param {number} count @returns {SameRun} */
function beginRun(numbers, entry, before, parent, count) {
  const { x, y } = /** @type {{x: number, y: number}} */ (entry.moved);
  const counted = numbers.push(RUN, before, 0, parent < 0 ? 0 : count - parent, hundredths(x), hundredths(y)) - 4;
  return { counted, before, count, parent, x, y };
}

/** Whether a node goes on a run: it stood next to the one before it then too, and its parent is in the run or is the run's. @param {SameRun} run @param {Told} base @param {Entry} entry @param {number} before @param {number} parent @param {number} count */
function goesOn(run, base, entry, before, parent, count) {
  const { x, y } = /** @type {{x: number, y: number}} */ (entry.moved);
  if (before - run.before !== count - run.count || x !== run.x || y !== run.y) return false;
  const old = base.parents[entry.was];
  const stood = old < 0 ? -1 : base.places[old];
  return stood >= run.before ? parent - run.count === stood - run.before : parent === run.parent;
}

/** @param {Record<string, any>} extra @param {string} key */
function isOnly(extra, key) {
  for (const k in extra) if (k !== key) return false;
  return key in extra;
}

/** Bounded: what a page draws farther off is told as that far, and as a whole number all the same. @param {number} px */
const hundredths = (px) => Math.round(Math.max(-FARTHEST, Math.min(FARTHEST, px)) * HUNDRED) || 0;
