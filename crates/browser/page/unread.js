// What a look may leave unread: the members of very long lists far from the viewport. It is told how many they are and how many
// targets they hold, by a query. They are read when they come near, when something in them is sought, or when all is asked for;
// what has been read once is read in every look after that.
//
// A list qualifies where that query finds the very targets that the walk lists, in its first members and in some further on. What
// such a member holds that may show elsewhere (fixed boxes, dialogs, iframes) has it read.

import { attr, bareRectOf, byId, childCountOf, childrenOf, controlOf, encloses, isElement, isMatch, isStandingBefore, lastElementOf, parentNodeOf, queryAll, rectOf, tagOf, textContentOf } from "./dom.js";
import { fixedSelectors } from "./kept.js";
import { numberOf } from "./numbers.js";
import { NOT } from "./operable.js";
import { LIST_FROM } from "./regions.js";
import { sheetFacts } from "./sheets.js";
import { OFFSCREEN } from "./states.js";
import { foundAll, shapeNow } from "./version.js";
import { flushRun, visit } from "./walk.js";

/** @typedef {import("./walk.js").Walk} Walk */
/** @typedef {import("./walk.js").Above} Above */
/** @typedef {import("./walk.js").Entry} Entry */

/** Members that are left, side by side. @typedef {{first: Element, last: Element, count: number}} Stretch */

/**
 * A list of which members may be left unread.
 * @typedef {object} LongList
 * @property {Element} el
 * @property {string} role of a member
 * @property {Set<Element>} special members that are to be read
 * @property {boolean} wasLeft whether members were left before: what bears no mark has come since
 * @property {number} fresh how many have
 * @property {Stretch | null} stretch
 */

/** A list is very long with so many members. */
const LONG = 200;
/** What is further from the viewport than this many of its heights is far. */
const FAR = 1;
/** More members that have come since are left, too. */
const FRESH_LIMIT = 100;
/** More that are to be read make the list not worth it. */
const SPECIAL_LIMIT = 300;
/** So many members further on are tried. */
const TRIED = 4;
/** Longest value of an attribute or field that is searched, in characters. */
const VALUE_LENGTH = 2000;

/** What the walk lists for certain where it is to be seen. */
const TARGETS =
  'a[href], area[href], button, input:not([type=hidden]), select, textarea, summary, [onclick], [contenteditable], [tabindex]:not([tabindex^="-"]), [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=option], [role=menuitem], [role=tab], [role=treeitem], [role=textbox], [role=combobox], [role=slider], [role=spinbutton]';
/** What may show elsewhere than where its member is, or has a tree of its own. */
const SPECIAL = 'iframe, frame, fencedframe, object, embed, video, audio, dialog, details, slot, [popover], [inert], [autofocus], [style*="fixed"]';
/** Where names come from that aren't text. */
const TELLING = "[aria-label], [aria-labelledby], [aria-describedby], [title], [alt], [placeholder], [value], [label], input:not([type=checkbox], [type=radio]), textarea, select";
/** What the browser itself names. */
const UNTOLD = "input:is([type=submit], [type=reset], [type=image], [type=file]):not([value])";
const NAMING = ["aria-label", "title", "alt", "placeholder", "value", "label"];

const LEFT = 1;
/** Read after it had been left. */
const LATE = 2;
const READ = 3;
/** How a member stands, kept on our world's own wrapper of it. */
const STANDING = Symbol("standing");
/** Lists of which members were left, and the shape of the document when they were tried last; or that they are to be read whole. @type {Map<Element, number>} */
const longLists = new Map();
/** For a list whose members the query tells no more. */
const WHOLE_LIST = -1;

/** @param {Element} el @returns {number} */
const standingOf = (el) => /** @type {any} */ (el)[STANDING] ?? 0;
/** @param {Element} el @param {number} standing */
const stand = (el, standing) => void (/** @type {any} */ (el)[STANDING] = standing);

/** Whether an element is a list of which members were left. @param {Element} el */
export const isLongList = (el) => longLists.size > 0 && longLists.has(el);

/** What has come or opened since something was left. @type {WeakSet<Node>} */
const came = new WeakSet();
/** Attributes by which elements open. */
const OPENING = new Set(["open", "hidden", "inert"]);

/** Takes account of changes. @param {MutationRecord[]} records */
export function noteComing(records) {
  if (!longLists.size) return;
  for (const { type, target, attributeName, addedNodes } of records) {
    if (type === "attributes" && OPENING.has(attributeName ?? "")) came.add(target);
    for (const node of addedNodes) if (isElement(node)) came.add(node);
  }
}

/** Whether an element has come, or what it is in, since something was left. @param {Element | null} el @param {Element} member that it is in */
export function hasCome(el, member) {
  for (let at = el; at; at = /** @type {Element | null} */ (parentNodeOf(at))) {
    if (came.has(at)) return true;
    if (at === member) return false;
  }
  return false;
}

/** Notes that a member is read; whether it had been left before. @param {Element} el */
export function noteRead(el) {
  const standing = standingOf(el);
  if (standing < LATE) stand(el, standing === LEFT ? LATE : READ);
  return standing === LEFT || standing === LATE;
}

/**
 * The list that an element is, if members of it may be left unread.
 * @param {Walk} walk @param {Element} el @param {Above} above @param {number} from the first entry of its first members @returns {LongList | null}
 */
export function longList(walk, el, above, from) {
  if (!walk.near || walk.run || walk.tree !== document || above.control || above.quiet || above.label || above.editable) return null;
  const tried = longLists.get(el);
  if (childCountOf(el) < LONG || tried === WHOLE_LIST) return null;
  const special = specialIn(walk, el);
  if (!special || !isToldByQuery(walk, childrenOf(el, LIST_FROM), from)) return null;
  /** @type {LongList} */
  const list = { el, role: roleAmong(walk, from), special, wasLeft: tried !== undefined, fresh: 0, stretch: null };
  if (tried === shapeNow()) return list;
  for (let i = 1; i <= TRIED; i++) {
    const at = Math.floor((i * childCountOf(el)) / (TRIED + 1));
    const [member] = childrenOf(el, 1, at);
    if (member && isFar(walk, member) && !isToldWhenVisited(walk, member, above)) {
      if (list.wasLeft) longLists.set(el, WHOLE_LIST);
      return null;
    }
  }
  longLists.set(el, shapeNow());
  return list;
}

/** Members that are to be read, whatever; null: too many, or there is no telling. @param {Walk} walk @param {Element} list @returns {Set<Element> | null} */
function specialIn(walk, list) {
  const fixed = fixedSelectors();
  if (!fixed) return null;
  const found = foundAll([SPECIAL, ...fixed].join(", ")).filter((el) => encloses(list, el));
  if (walk.active && encloses(list, walk.active)) found.push(walk.active);
  if (found.length > SPECIAL_LIMIT) return null;
  /** @type {Set<Element>} */
  const members = new Set();
  for (const el of found) {
    const member = memberAround(list, el);
    if (member) members.add(member);
  }
  return members;
}

/** The child of a list that an element is in. @param {Element} list @param {Element} el @returns {Element | null} */
function memberAround(list, el) {
  for (let at = /** @type {Element | null} */ (el); at; ) {
    const up = /** @type {Element | null} */ (parentNodeOf(at));
    if (up === list) return at;
    at = up;
  }
  return null;
}

/** The role that members are listed by, where each of them is. @param {Walk} walk @param {number} from */
function roleAmong(walk, from) {
  const first = walk.entries[from];
  return first && first.kind === 1 && !first.dropped && first.role !== "text" ? first.role : "group";
}

/** Whether the query finds in members the very targets that the walk listed, from an entry on. @param {Walk} walk @param {Element[]} members @param {number} from */
function isToldByQuery(walk, members, from) {
  const found = new Set(members.flatMap((member) => (isMatch(member, TARGETS) ? [member, ...queryAll(member, TARGETS)] : queryAll(member, TARGETS))));
  let listed = 0;
  for (let i = from; i < walk.entries.length; i++) {
    const { kind, dropped, el } = walk.entries[i];
    if (kind < 2 || dropped) continue;
    if (kind > 2 || !el || !found.has(el)) return false;
    listed++;
  }
  return listed > 0 && listed === found.size;
}

/** As {@link isToldByQuery}, of a member that is visited for this alone. @param {Walk} walk @param {Element} member @param {Above} above */
function isToldWhenVisited(walk, member, above) {
  const { entries, hosts, shadows } = walk;
  const [from, hosted] = [entries.length, hosts.length];
  visit(walk, member, above);
  flushRun(walk);
  const holds = isToldByQuery(walk, [member], from) && hosts.length === hosted && walk.shadows === shadows;
  entries.length = from;
  hosts.length = hosted;
  return holds;
}

/** @param {Walk} walk @param {Element} el */
function isFar({ look }, el) {
  // Every reading of it is a call, and there may be thousands.
  const rect = bareRectOf(el);
  const { top } = rect;
  return (top > (1 + FAR) * look.view.h ? rect.height > 0 : top < 0 && rect.bottom < -FAR * look.view.h && rect.height > 0) && rect.width > 0;
}

/** Leaves a member unread, if it may be. @param {Walk} walk @param {LongList} list @param {Element} el @returns {boolean} */
export function leave(walk, list, el) {
  const standing = standingOf(el);
  if (standing > LEFT || list.special.has(el) || el === lastElementOf(list.el)) return false;
  if (!standing && list.wasLeft && ++list.fresh <= FRESH_LIMIT) return false;
  if (!isFar(walk, el)) return false;
  if (!standing) stand(el, LEFT);
  list.stretch ??= { first: el, last: el, count: 0 };
  list.stretch.last = el;
  list.stretch.count++;
  return true;
}

/** Lists what was left so far. @param {Walk} walk @param {LongList} list @param {Above} above */
export function endStretch(walk, list, above) {
  const { stretch } = list;
  if (!stretch) return;
  list.stretch = null;
  const all = foundAll(TARGETS);
  const from = countWhile(all, (el) => isStandingBefore(el, stretch.first));
  const to = countWhile(all, (el) => isStandingBefore(el, stretch.last) || encloses(stretch.last, el));
  if (from === to) return;
  const [head, tail] = [rectOf(stretch.first), rectOf(stretch.last)];
  const rect = { ...head, bottom: tail.bottom, height: tail.bottom - head.y };
  const left = { members: stretch.count, targets: to - from, last: numberOf(all[to - 1]) };
  walk.entries.push({ el: all[from], parent: above.index, kind: 1, role: list.role, name: "", value: null, states: above.bits | OFFSCREEN, rect, extra: { left }, dropped: false, sure: NOT, by: "", key: "", was: -1, moved: null });
  walk.left += stretch.count;
}

/** How many elements of a list fit, of which the first do and the rest doesn't. @param {Element[]} all @param {(el: Element) => boolean} fits */
function countWhile(all, fits) {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(all[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}

let readMore = 0;

/** How often more was asked for. */
export const readings = () => readMore;

/**
 * Has the next looks read what was left and may say all of some words, whatever their case. False: there is no telling, since style
 * sheets put in text.
 * @param {string[]} words @returns {boolean}
 */
export function readSaying(words) {
  const lists = unreadLists();
  if (!lists.length) return true;
  if (sheetFacts(document).pseudo) return false;
  readMore += 1;
  const sought = words.map(plain);
  for (const [list, members] of lists) {
    for (const el of queryAll(list, UNTOLD)) {
      const member = memberAround(list, el);
      if (member) noteRead(member);
    }
    const named = namesAmong(list);
    for (const member of members) {
      const text = plain(textContentOf(member));
      const lacking = sought.filter((word) => !text.includes(word));
      if (lacking.length && !named.has(member)) continue;
      const names = lacking.length ? plain(named.get(member) ?? "") : "";
      if (lacking.every((word) => names.includes(word))) noteRead(member);
    }
  }
  return true;
}

/** What members of a list say that isn't text. @param {Element} list */
function namesAmong(list) {
  /** @type {Map<Element, string>} */
  const named = new Map();
  const note = (/** @type {Element | null} */ el, /** @type {string} */ names) => {
    const member = el && names && encloses(list, el) && memberAround(list, el);
    if (member) named.set(member, `${named.get(member) ?? ""} ${names}`);
  };
  for (const el of queryAll(list, TELLING)) note(el, namesIn(el));
  for (const label of foundAll("label[for]")) note(controlOf(label), textContentOf(label));
  return named;
}

/** As text is compared, in essence: without white space, for what is set apart by boxes has none. @param {string} text */
const plain = (text) => text.normalize("NFKC").toUpperCase().replace(/[\s\p{Cf}\u{fe00}-\u{fe0f}]+/gu, "");

/** What an element may be named by that isn't text in it. @param {Element} el */
function namesIn(el) {
  const field = /** @type {HTMLInputElement} */ (el);
  const held = /^(input|textarea|select)$/.test(tagOf(el)) && !/^(password|checkbox|radio)$/.test(field.type) ? field.value : "";
  const named = NAMING.map((name) => attr(el, name) ?? "");
  const ids = `${attr(el, "aria-labelledby") ?? ""} ${attr(el, "aria-describedby") ?? ""}`.split(/\s+/).filter(Boolean);
  const told = ids.map((id) => textContentOf(byId(document, id) ?? el));
  return [held, ...named, ...told].filter(Boolean).map((text) => text.slice(0, VALUE_LENGTH)).join(" ");
}

/** Has the next looks read what was left from one element to another, until so many targets are in it. @param {Element} first @param {Element} last @param {number} targets @returns {boolean} */
export function readBetween(first, last, targets) {
  let count = 0;
  readMore += 1;
  for (const [, members] of unreadLists()) {
    for (const member of members) {
      if (isStandingBefore(member, first) && !encloses(member, first)) continue;
      if (count >= targets || isStandingBefore(last, member)) break;
      count += Math.max(1, queryAll(member, TARGETS).length);
      noteRead(member);
    }
  }
  return true;
}

/** Lists with the members of theirs that are left. @returns {[Element, Element[]][]} */
function unreadLists() {
  return [...longLists.keys()].map((list) => [list, childrenOf(list).filter((el) => standingOf(el) === LEFT)]);
}

/** Forgets lists that have left the page. @param {(el: Element) => boolean} isGone */
export function forgetLists(isGone) {
  for (const list of longLists.keys()) if (isGone(list)) longLists.delete(list);
}
