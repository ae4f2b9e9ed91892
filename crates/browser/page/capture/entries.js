// Entries of the list: which targets stay when what is inside them is known, and what is merged.

import { boxOf } from "../dom/areas.js";
import { attr, bodyOf, flatParentOf, has, isSvg, rectOf, styleOf, tagOf, textContentOf, firstElementOf, nextElementOf } from "../dom/dom.js";
import { belongs, deepestAt, openPoint } from "../dom/hit.js";
import { kindHint } from "../names/hints.js";
import { labelsOf, standIn } from "../names/labels.js";
import { isSelfChanging } from "../changes/cause.js";
import { isDelegating } from "../dom/marks.js";
import { nameOf } from "../names/names.js";
import { numberOf } from "../dom/numbers.js";
import { isHandle, NOT, PERHAPS, SURE } from "./operable.js";
import { isInView, isReachable, LEAST_SIDE, whyMissed } from "../dom/place.js";
import { HOLLOW_ROLES, ITEM_ROLES } from "../names/role-tables.js";
import { iconHint, saidOf } from "../text/said.js";
import { COVERED, DISABLED, OFFSCREEN } from "../names/states.js";
import { fold, isReadable } from "../text/text.js";
import { isTransparent, isVisibleIn } from "../dom/visible.js";

/** @typedef {import("./walk.js").Entry} Entry */
/** @typedef {import("./walk.js").Walk} Walk */

const LISTY = new Set(["ul", "ol", "dl", "menu", "table", "thead", "tbody", "tfoot", "form", "main", "section", "body", "html", "article", "nav", "header", "footer"]);
/** Hosts whose children are what a listener on the host is for. */
const CHILD_HOSTS = new Set(["ul", "ol", "menu", "table", "thead", "tbody"]);
/** Roles that take the text inside as their name when there is nothing else inside. */
const TEXT_BOXES = new Set(["cell", "gridcell", "columnheader", "rowheader", "listitem", "term", "definition", "caption", "blockquote", "status", "alert", "note", "code", "log", "timer", "tooltip"]);
const SWITCHES = /^(checkbox|radio|file)$/;

/** Share of the viewport above which a region is no target of its own. */
const REGION_SHARE = 0.25;
const REGION_TARGETS = 12;

/**
 * Fills in where a target is and whether it can be reached. False: it can't be operated now.
 * @param {Walk} walk @param {Entry} entry @param {string} tag @param {Element | null} hidden the unrendered control this label stands for
 * @returns {boolean}
 */
export function makeTarget(walk, entry, tag, hidden) {
  const el = /** @type {Element} */ (entry.el);
  if (entry.sure === PERHAPS && isTransparent(el)) return false;
  const rect = targetRect(el, tag);
  const native = tag === "input" && SWITCHES.test(/** @type {HTMLInputElement} */ (el).type);
  const state = rect ? placeState(walk, el, rect, entry) : null;
  entry.kind = 2;
  if (rect && state === 0 || state === OFFSCREEN && !native) {
    entry.rect = rect;
    entry.states |= /** @type {number} */ (state);
    return !(entry.sure === PERHAPS && hidden === null && isBare(entry, tag));
  }
  const via = native ? viaLabel(walk, el) : null;
  if (via) return useLabel(entry, via);
  if (!rect || state === null) return false;
  entry.rect = rect;
  entry.states |= state;
  if (state & COVERED) walk.covered++;
  return true;
}

/** @param {Entry} entry @param {{label: Element, rect: import("../dom/dom.js").Rect, states: number}} via */
function useLabel(entry, via) {
  entry.rect = via.rect;
  entry.states |= via.states;
  entry.extra = { via: numberOf(via.label) };
  return true;
}

/** Whether tabindex alone marks a region that only scrolls or is focused by scripts. @param {Entry} entry @param {string} tag */
function isBare(entry, tag) {
  if (entry.by !== "tab") return false;
  const el = /** @type {HTMLElement} */ (entry.el);
  const rect = /** @type {import("./walk.js").Rect} */ (entry.rect);
  if (isHandle(el)) return false;
  return LISTY.has(tag) || rect.width * rect.height > REGION_SHARE * innerWidth * innerHeight;
}

/** The rect of a target; of its first sized child when it has no size itself. @param {Element} el @param {string} tag @returns {import("../dom/dom.js").Rect | null} */
function targetRect(el, tag) {
  const rect = tag === "area" ? boxOf(el) : rectOf(el);
  if (rect.width >= LEAST_SIDE && rect.height >= LEAST_SIDE) return rect;
  if (tag !== "a" && tag !== "button" && !isSvg(el)) return null;
  for (let c = firstElementOf(el); c; c = nextElementOf(c)) {
    const inner = rectOf(c);
    if (inner.width >= LEAST_SIDE && inner.height >= LEAST_SIDE) return inner;
  }
  return null;
}

/** 0 in view and free, OFFSCREEN, COVERED, or null when it can't be brought to light. @param {Walk} walk @param {Element} el @param {import("./walk.js").Rect} rect @param {Entry} entry @returns {number | null} */
export function placeState(walk, el, rect, entry) {
  if (!isInView(rect, walk.look.view)) return isReachable(el, rect, walk.look, walk.tree) ? outOfView(el, entry) : null;
  const { view } = walk.look;
  const x = (Math.max(rect.left, 0) + Math.min(rect.right, view.w)) / 2;
  const y = (Math.max(rect.top, 0) + Math.min(rect.bottom, view.h)) / 2;
  if (belongs(deepestAt(x, y), el) || openPoint(el)) return 0;
  const why = whyMissed(el, rect, walk.look);
  if (why === "scrolled") return outOfView(el, entry);
  if (why === "clipped") return null;
  if (isFilled(el)) return 0;
  if (styleOf(el).pointerEvents === "none") {
    if (entry.sure !== SURE) return null;
    entry.states |= DISABLED;
  }
  return COVERED;
}

/**
 * Out of view there is no hit to go by: that it takes no pointer, with all that is in it, is told by its style, so that it is as
 * disabled there as in view.
 * @param {Element} el @param {Entry} entry
 */
function outOfView(el, entry) {
  if (entry.sure === SURE && letsPointerThrough(el)) entry.states |= DISABLED;
  return OFFSCREEN;
}

/** Whether an element and its children let the pointer through. @param {Element} el */
function letsPointerThrough(el) {
  if (styleOf(el).pointerEvents !== "none") return false;
  for (let c = firstElementOf(el); c; c = nextElementOf(c)) if (styleOf(c).pointerEvents !== "none") return false;
  return true;
}

/** Whether what covers an element is its own: another target inside it that fills it. @param {Element} el */
function isFilled(el) {
  const rect = rectOf(el);
  const hit = deepestAt((Math.max(rect.left, 0) + Math.min(rect.right, innerWidth)) / 2, (Math.max(rect.top, 0) + Math.min(rect.bottom, innerHeight)) / 2);
  for (let at = hit; at; at = flatParentOf(at)) if (at === el) return true;
  return false;
}

/** The visible label a hidden switch is operated by. @param {Walk} walk @param {Element} el */
function viaLabel(walk, el) {
  for (const label of labelsOf(el)) {
    if (!isVisibleIn(walk.look, label)) continue;
    const rect = rectOf(label);
    if (rect.width < LEAST_SIDE || rect.height < LEAST_SIDE) continue;
    if (!isInView(rect, walk.look.view)) return { label, rect, states: OFFSCREEN };
    if (openPoint(label, el)) return { label, rect, states: 0 };
    const why = whyMissed(label, rect, walk.look);
    if (why !== "clipped") return { label, rect, states: why === "scrolled" ? OFFSCREEN : COVERED };
  }
  return null;
}

// ---- when everything inside is known ---------------------------------------------------

/** Decides an entry whose inside has been walked. @param {Walk} walk @param {number} index */
export function settleEntry(walk, index) {
  const entry = walk.entries[index];
  if (entry.kind === 2 && entry.sure === PERHAPS) weigh(walk, entry, index);
  if (entry.kind === 1) settleItem(walk, entry, index);
  if (entry.kind === 2 && !entry.dropped) addHint(walk, entry, index);
  if (entry.el && !entry.dropped && (entry.kind === 2 || (!entry.name && TEXT_BOXES.has(entry.role)))) addSaid(walk, entry);
}

/** What an element shows that isn't its name, and whether it changes by itself. @param {Walk} walk @param {Entry} entry */
function addSaid(walk, entry) {
  const el = /** @type {Element} */ (entry.el);
  const said = saidOf(el, entry.role, entry.name, walk.look);
  if (said) entry.extra = { ...entry.extra, said };
  if (isSelfChanging(el, walk.look)) entry.extra = { ...entry.extra, selfChanging: true };
}

/** Entries inside another, not dropped. @param {Walk} walk @param {number} index @returns {Entry[]} */
const insideOf = (walk, index) => walk.entries.slice(index + 1).filter((entry) => !entry.dropped);

/** Whether a PERHAPS is a target, given what is inside it. @param {Walk} walk @param {Entry} entry @param {number} index */
function weigh(walk, entry, index) {
  const el = /** @type {Element} */ (entry.el);
  const tag = tagOf(el);
  const inside = insideOf(walk, index);
  const targets = inside.filter((inner) => inner.kind >= 2);
  const listens = entry.by === "listener";
  if (!targets.length) {
    if (listens && CHILD_HOSTS.has(tag) && promoteChildren(walk, inside, index)) demote(entry);
    else if (isDelegating(el) || el === bodyOf(document)) demote(entry);
    else if (isEchoed(walk, entry)) demote(entry);
    return;
  }
  if (entry.by === "drag" && attr(el, "draggable") === "true") return;
  const rect = /** @type {import("./walk.js").Rect} */ (entry.rect);
  const big = rect.width * rect.height > REGION_SHARE * innerWidth * innerHeight;
  const ownText = inside.some((inner) => inner.kind < 2 && inner.name && !isUnder(walk, inner, index));
  if (!listens || LISTY.has(tag) || big || !ownText || isDelegating(el) || targets.length > REGION_TARGETS) demote(entry);
}

/** Whether another target stands between an entry and the one at index. @param {Walk} walk @param {Entry} inner @param {number} index */
function isUnder(walk, inner, index) {
  for (let up = inner.parent; up > index; up = walk.entries[up].parent) if (walk.entries[up].kind >= 2) return true;
  return false;
}

/** Whether a listener inside a control adds nothing: it is all of the control's text. @param {Walk} walk @param {Entry} entry */
function isEchoed(walk, entry) {
  for (let up = entry.parent; up >= 0; up = walk.entries[up].parent) {
    const outer = walk.entries[up];
    if (outer.kind !== 2 || outer.sure !== SURE) continue;
    const text = fold(textContentOf(/** @type {Element} */ (entry.el)));
    return text === fold(textContentOf(standIn(/** @type {Element} */ (outer.el))));
  }
  return false;
}

/** The items of a list whose host listens are what is clicked. @param {Walk} walk @param {Entry[]} inside @param {number} index */
function promoteChildren(walk, inside, index) {
  const items = inside.filter((inner) => inner.kind === 1 && /^(listitem|row)$/.test(inner.role) && (inner.parent === index || inner.role === "row"));
  for (const item of items) {
    item.kind = 2;
    item.sure = PERHAPS;
    item.by = "listener";
    item.rect ??= rectOf(/** @type {Element} */ (item.el));
    if (!isInView(item.rect, walk.look.view)) item.states |= OFFSCREEN;
    // As an item it went by its text; as a target it is asked for by its name and by what it shows.
    item.name = nameOf(/** @type {Element} */ (item.el), item.role, walk.look);
    addSaid(walk, item);
  }
  return items.length > 0;
}

/** No target after all: an item if it can be read, else nothing. @param {Entry} entry */
function demote(entry) {
  entry.sure = NOT;
  entry.by = "";
  entry.states &= ~COVERED;
  if (ITEM_ROLES.has(entry.role)) entry.kind = 1;
  else entry.dropped = true;
}

/** @param {Walk} walk @param {Entry} entry @param {number} index */
function settleItem(walk, entry, index) {
  const { role } = entry;
  const el = /** @type {Element} */ (entry.el);
  if (role === "img" || role.startsWith("graphics-")) return settleImage(walk, entry, index);
  if (!HOLLOW_ROLES.has(role)) return void (entry.rect ??= rectOf(el));
  if (!entry.name && isLoneTarget(walk, index)) return void (entry.dropped = true);
  const inside = insideOf(walk, index);
  if (TEXT_BOXES.has(role) && inside.length && inside.every((inner) => inner.kind === 0)) {
    const text = inside.map((inner) => inner.name).join(" ");
    if (!entry.name || fold(entry.name) === fold(text)) entry.name = text;
    for (const inner of inside) if (fold(entry.name).includes(fold(inner.name))) inner.dropped = true;
  }
  if (!isTelling(entry, inside, index)) entry.dropped = true;
  else {
    entry.rect ??= entry.role === "row" ? unitedRect(inside) : rectOf(el);
    if (!isInView(entry.rect, walk.look.view)) entry.states |= OFFSCREEN;
  }
}

/** Whether nothing or just one target is inside: most cells of a table of controls. @param {Walk} walk @param {number} index */
export function isLoneTarget(walk, index) {
  const inside = walk.entries.length - index - 1;
  return inside === 0 || (inside === 1 && walk.entries[index + 1].kind >= 2);
}

/** The rect around entries: for rows, of which there may be thousands, cheaper than asking the layout. @param {Entry[]} inside @returns {import("./walk.js").Rect} */
function unitedRect(inside) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { rect } of inside) {
    if (!rect) continue;
    left = Math.min(left, rect.left);
    top = Math.min(top, rect.top);
    right = Math.max(right, rect.right);
    bottom = Math.max(bottom, rect.bottom);
  }
  if (left >= right) [left, top, right, bottom] = [0, 0, 0, 0];
  return { left, top, right, bottom, x: left, y: top, width: right - left, height: bottom - top };
}

/** Whether a container says more than what is inside it. @param {Entry} entry @param {Entry[]} inside @param {number} index */
function isTelling(entry, inside, index) {
  if (entry.role === "heading" || TEXT_BOXES.has(entry.role)) {
    if (entry.name) return true;
    return inside.some((inner) => inner.parent === index && inner.kind < 2) || inside.filter((inner) => inner.kind === 2).length > 1;
  }
  if (!inside.length) return entry.name !== "" && entry.role !== "group";
  switch (entry.role) {
    case "row":
      return entry.name !== "" || inside.length > 1;
    case "list":
      return entry.name !== "" || inside.some((inner) => inner.role === "listitem");
    case "group":
    case "figure":
    case "radiogroup":
    case "article":
    case "separator":
      return entry.name !== "";
    default:
      return true;
  }
}

/** Smallest side of a picture that is worth a line, and of a drawing whose shapes are, CSS px. */
const PICTURE_SIDE = 16;
const DRAWING_SIDE = 40;

/** @param {Walk} walk @param {Entry} entry @param {number} index */
function settleImage(walk, entry, index) {
  const el = /** @type {Element} */ (entry.el);
  const tag = tagOf(el);
  const rect = (entry.rect ??= rectOf(el));
  if (!isInView(rect, walk.look.view)) entry.states |= OFFSCREEN;
  if (entry.role !== "img") {
    const drawing = /** @type {any} */ (el).ownerSVGElement;
    const size = drawing ? rectOf(drawing) : null;
    if (!entry.name && (tag === "path" || tag === "line" || !size || size.width < DRAWING_SIDE)) entry.dropped = true;
    else entry.extra = { ...entry.extra, hint: tag };
    return;
  }
  if (entry.name) return;
  for (let up = entry.parent; up >= 0; up = walk.entries[up].parent) if (walk.entries[up].kind === 2) return void (entry.dropped = true);
  if (tag === "svg") {
    if (insideOf(walk, index).length || rect.width < PICTURE_SIDE) entry.dropped = true;
    return void (entry.dropped ||= !addIconHint(walk, entry, el));
  }
  if (rect.width < PICTURE_SIDE || rect.height < PICTURE_SIDE || !addIconHint(walk, entry, el)) entry.dropped = true;
}

/** @param {Walk} walk @param {Entry} entry @param {Element} el */
function addIconHint(walk, entry, el) {
  const hint = iconHint(el, walk.look);
  if (hint) entry.extra = { ...entry.extra, hint, icon: true };
  return hint !== "";
}

/** A word for a target that says nothing itself. @param {Walk} walk @param {Entry} entry @param {number} index */
function addHint(walk, entry, index) {
  const el = /** @type {Element} */ (entry.el);
  if (isSvg(el) && tagOf(el) !== "svg" && tagOf(el) !== "a") {
    entry.extra = { ...entry.extra, hint: tagOf(el) };
    return;
  }
  if (entry.name && isReadable(entry.name)) {
    if (entry.sure === PERHAPS || entry.role === "link") addKind(entry, el);
    return;
  }
  if (has(el, "placeholder")) return;
  if (insideOf(walk, index).some((inner) => inner.name && inner.kind < 2)) addKind(entry, el);
  else addIconHint(walk, entry, standIn(el));
}

/** @param {Entry} entry @param {Element} el */
function addKind(entry, el) {
  const hint = kindHint(el);
  if (hint) entry.extra = { ...entry.extra, hint };
}
