// Regions: the members of long lists that lie outside the viewport (rows, cards, items), taken over from the last look while
// nothing in them has changed. A look after a small change then costs what that change does.
//
// A region is looked at anew when a mutation record, a changed control or the focus falls into it, when it is near the
// viewport, and when something about what surrounds it may have restyled it: an attribute that changed on an element above
// it or beside one of those. Of the neighbours that stay, a run of regions, a sample must have moved alike, and the first is
// looked at anew all the same: if it says something else than before, so may the others. A page with
// :has(), where anything may restyle anything, with a running animation or with style sheets that can't be read has none.

import { attr, encloses, isConnected, isElement, nextSiblingOf, parentNodeOf, rectOf, shadowOf, tagOf, isShadowRoot } from "../dom/dom.js";
import { whenRecorded } from "../dom/version.js";
import { elementOf } from "../dom/numbers.js";
import { isInView } from "../dom/place.js";
import { COVERED, OFFSCREEN } from "../names/states.js";

/** @typedef {import("./walk.js").Walk} Walk */
/** @typedef {import("./walk.js").Above} Above */
/** @typedef {import("./walk.js").Entry} Entry */
/** @typedef {{x: number, y: number}} Shift CSS px */

/** What hasn't moved. @type {Shift} */
const STILL = Object.freeze({ x: 0, y: 0 });

/**
 * @typedef {object} Region
 * @property {Element} el
 * @property {number} look the look that it was last part of
 * @property {boolean} dirty
 * @property {Above} above what held where it stands
 * @property {number} at its first entry among those of that look
 * @property {number} count of its entries
 * @property {Run | null} run
 */

/** Neighbours that nothing has changed in. @typedef {{look: number, first: Region, shift: Shift | null}} Run */

/** Its children beyond so many are members of a long list. */
export const LIST_FROM = 12;
/** A larger one is rather made of regions itself. */
const MOST_ENTRIES = 64;
/** A shorter run isn't worth the comparing. */
const LEAST_RUN = 4;
/** More records than that are a page made anew. */
const MOST_RECORDS = 3000;
/** Elements whose mutation is a change of rules. */
const RULES = new Set(["style", "link", "head"]);

/** The region of an element, kept on our world's own wrapper of it. */
const REGION = Symbol("region");
/** The look whose regions may be taken over; 0: none. */
let valid = 0;
let looks = 0;
/** Selectors that reach from an element to all that follows beside it. */
let reaching = "";
/** Elements below which all may have been restyled. @type {Set<Node>} */
const restyled = new Set();

/** @param {Element} el @returns {Region | undefined} */
const regionOf = (el) => /** @type {any} */ (el)[REGION];

/** A number for a look that begins. */
export const nextLook = () => ++looks;

/** Lets the next look take over what this one noted. @param {number} look 0: nothing @param {string} [selectors] those that reach from an element to what follows it */
export function keepRegions(look, selectors = "") {
  valid = look;
  reaching = selectors;
  restyled.clear();
  whenRecorded(look ? markRecords : null);
}

/** Which look's regions may be taken over. */
export const regionsLook = () => valid;

/** @param {MutationRecord[]} records */
function markRecords(records) {
  if (records.length > MOST_RECORDS) return keepRegions(0);
  for (const record of records) {
    const { target } = record;
    if (!markChanged(target) ? record.type === "attributes" : reaching && reachesOn(record)) restyleBelow(target);
    if (isRules(target) || isRules(parentNodeOf(target))) return keepRegions(0);
  }
}

/** Whether a changed attribute of a region's own element may restyle what follows it. @param {MutationRecord} record */
function reachesOn({ target, attributeName, oldValue }) {
  if (!attributeName || !regionOf(/** @type {Element} */ (target)) || attributeName === "style") return false;
  const now = attr(/** @type {Element} */ (target), attributeName) ?? "";
  if (attributeName !== "class" && attributeName !== "id") return reaching.includes(`[${attributeName}`) || !/^(aria|data)-/.test(attributeName);
  const [before, after] = [oldValue ?? "", now].map((names) => names.split(/\s+/));
  const isOther = (/** @type {string} */ name) => name !== "" && before.includes(name) !== after.includes(name);
  return [...before, ...after].some((name) => isOther(name) && reaching.includes(CSS.escape(name)));
}

/** Whatever is below an element, or below those beside it, may have been restyled. @param {Node} node */
export const restyleBelow = (node) => void restyled.add(parentNodeOf(node) ?? node);

/** @param {Node | null} node */
const isRules = (node) => isElement(node) && RULES.has(tagOf(node));

/** Notes a change in a node; false: it is in no region. @param {Node} node */
export function markChanged(node) {
  let inside = false;
  for (let at = /** @type {Node | null} */ (node); at; ) {
    const region = regionOf(/** @type {Element} */ (at));
    if (region) inside = region.dirty = true;
    if (isShadowRoot(at)) restyled.add(at.host);
    at = isShadowRoot(at) ? at.host : parentNodeOf(at);
  }
  return inside;
}

/** The innermost region that a node is in. @param {Node} node @returns {Region | null} */
export function regionAround(node) {
  for (let at = /** @type {Node | null} */ (node); at; at = parentNodeOf(at)) {
    const region = regionOf(/** @type {Element} */ (at));
    if (region) return region;
  }
  return null;
}

/** Takes over the region of an element. False: it is to be visited. @param {Walk} walk @param {Element} el @param {Above} above @returns {boolean} */
export function takeOver(walk, el, above) {
  const region = regionOf(el);
  if (!region || walk.run || !isClean(walk, region)) return false;
  const run = region.run?.look === walk.number ? region.run : runFrom(walk, region, above);
  const { shift } = run;
  if (!shift || run.first === region) return false;
  const { at, count } = region;
  const first = walk.entries.length;
  const stays = shift === STILL && first === at && region.above.index === above.index;
  if (!stays && comesIntoView(walk, region, shift)) return false;
  for (let i = 0; i < count; i++) {
    const old = walk.before[at + i];
    const entry = stays ? old : { ...old, parent: old.parent < at ? above.index : old.parent - at + first, rect: movedBy(old.rect, shift) };
    entry.was = at + i;
    entry.moved = shift;
    walk.entries.push(entry);
  }
  region.look = walk.number;
  region.above = above;
  region.at = first;
  return true;
}

/** @param {Walk} walk @param {Region} region @param {Shift} shift */
function comesIntoView(walk, { at, count }, shift) {
  for (let i = at; i < at + count; i++) {
    const rect = movedBy(walk.before[i].rect, shift);
    if (rect && isInView(rect, walk.look.view)) return true;
  }
  return false;
}

/** @param {Walk} walk @param {Region} region */
const isClean = (walk, region) => walk.taken !== 0 && region.look === walk.taken && !region.dirty;

/** @param {import("../dom/dom.js").Rect | null} rect @param {Shift} shift @returns {import("../dom/dom.js").Rect | null} */
function movedBy(rect, shift) {
  if (!rect || shift === STILL) return rect;
  const { x, y } = shift;
  return { ...rect, x: rect.x + x, y: rect.y + y, left: rect.left + x, top: rect.top + y, right: rect.right + x, bottom: rect.bottom + y };
}

/** The run that begins with a region. @param {Walk} walk @param {Region} region @param {Above} above @returns {Run} */
function runFrom(walk, region, above) {
  const members = [region];
  for (let at = nextSiblingOf(region.el); at; at = nextSiblingOf(at)) {
    if (!isElement(at)) continue;
    const next = regionOf(at);
    if (!next || !isClean(walk, next)) break;
    members.push(next);
  }
  const holds = members.length >= LEAST_RUN && isAlike(region.above, above) && ![...restyled].some((node) => encloses(node, region.el));
  /** @type {Run} */
  const run = { look: walk.number, first: region, shift: holds ? commonShift(walk, sampleOf(members)) : null };
  for (const member of members) member.run = run;
  return run;
}

/** Whether the same holds below two elements. @param {Above} a @param {Above} b */
const isAlike = (a, b) => a.said === b.said && a.pointer === b.pointer && a.control === b.control && a.quiet === b.quiet && a.editable === b.editable && a.label === b.label && a.item === b.item && a.table === b.table && a.bits === b.bits;

/** Two from the beginning, the middle and the end each: in a list of unlike members those beside each other may differ. @param {Region[]} members */
const sampleOf = (members) => [0, (members.length >> 1) - 1, members.length - 2].flatMap((at) => members.slice(at, at + 2));

/** How far regions have moved, if alike: the first and the last target of each. @param {Walk} walk @param {Region[]} regions @returns {Shift | null} */
function commonShift(walk, regions) {
  const anchors = regions.flatMap(({ at, count }) => {
    const entries = walk.before.slice(at, at + count);
    return [entries.find(isAnchor), entries.findLast(isAnchor)];
  });
  const [first, ...others] = anchors.map(shiftOf);
  if (!first || !others.every((other) => other && other.x === first.x && other.y === first.y)) return null;
  return first.x === 0 && first.y === 0 ? STILL : first;
}

/** How far a target has moved since it was looked at; null when it isn't what it was. @param {Entry | undefined} anchor @returns {Shift | null} */
function shiftOf(anchor) {
  const before = anchor?.rect;
  // A switch that can't be hit itself is where its label is.
  const el = anchor?.extra?.via ? elementOf(anchor.extra.via) : anchor?.el;
  if (!el || !before || !isConnected(el)) return null;
  const now = rectOf(el);
  return now.width === before.width && now.height === before.height ? { x: now.x - before.x, y: now.y - before.y } : null;
}

/** Whether an entry's place is that of its element. @param {Entry} entry */
const isAnchor = (entry) => entry.kind === 2 && !entry.dropped && entry.rect !== null;

/**
 * Notes what the visit of a member of a long list gave. It holds a target, so nothing around it changes its entries afterwards.
 * @param {Walk} walk @param {Element} el @param {Above} above @param {number} from its first entry @param {boolean} shadows whether the walk had come into a shadow root before it
 */
export function noteRegion(walk, el, above, from, shadows) {
  const known = regionOf(el);
  const { entries } = walk;
  const count = entries.length - from;
  if (known?.run?.look === walk.number && known.run.first === known && !saysAsBefore(walk, known, from)) known.run.shift = null;
  if (walk.run || walk.shadows !== shadows || count === 0 || count > MOST_ENTRIES || shadowOf(el) || !mayBeTaken(entries, from)) {
    if (known) /** @type {any} */ (el)[REGION] = undefined;
    return;
  }
  /** @type {Region} */
  const region = { el, look: walk.number, dirty: false, above, at: from, count, run: known?.run ?? null };
  /** @type {any} */ (el)[REGION] = region;
}

/** Whether the last entries are all away from the viewport, with a target to tell by where they are. @param {Entry[]} entries @param {number} from */
function mayBeTaken(entries, from) {
  let anchored = false;
  for (let i = from; i < entries.length; i++) {
    if (!mayStay(entries[i])) return false;
    anchored ||= isAnchor(entries[i]);
  }
  return anchored;
}

/** Whether an entry is away from the viewport, and nothing that may come to it by itself. @param {Entry} entry */
const mayStay = (entry) => entry.dropped || (entry.kind !== 3 && (entry.rect === null || (entry.states & OFFSCREEN) !== 0) && !(entry.states & COVERED) && !/^(dialog|alertdialog|menu|tooltip|video|audio)$/.test(entry.role));

/** Whether a region that was looked at anew says what it said. @param {Walk} walk @param {Region} region @param {number} from its first entry now */
function saysAsBefore({ before, entries }, { at, count }, from) {
  if (entries.length - from !== count) return false;
  for (let i = 0; i < count; i++) if (!isSameEntry(before[at + i], entries[from + i])) return false;
  return true;
}

/** @param {Entry} a @param {Entry} b */
function isSameEntry(a, b) {
  const states = (a.states ^ b.states) & ~(OFFSCREEN | COVERED);
  return a.el === b.el && a.dropped === b.dropped && a.kind === b.kind && a.role === b.role && a.name === b.name && a.value === b.value && states === 0;
}
