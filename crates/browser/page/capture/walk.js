// The walk: one pass over the flat tree that lists what can be operated and what can be read.

import { areasOf } from "../dom/areas.js";
import { attr, controlOf, firstChildOf, has, mayHost, nextSiblingOf, nodeTypeOf, rectOf, rootOf, shadowOf, specialChildren, styleOf, tagOf, offsetHeightOf, offsetWidthOf } from "../dom/dom.js";
import { detailExtra, extraOf } from "./extra.js";
import { isEditable } from "../dom/focus.js";
import { standIn } from "../names/labels.js";
import { makeTarget, settleEntry } from "./entries.js";
import { ARIA, ASIDE, EDIT, INERT, isListening, scanAttributes } from "../dom/marks.js";
import { nameRegardless } from "../names/names.js";
import { sheetsIn } from "../dom/look.js";
import { NOT, PERHAPS, SURE, operability } from "./operable.js";
import { LEAST_SIDE } from "../dom/place.js";
import { visitPlain } from "./plain.js";
import { numberOf } from "../dom/numbers.js";
import { LIST_FROM, noteRegion, takeOver } from "./subtree-cache.js";
import { isLabelled, roleOf, tableRole } from "../names/roles.js";
import { ITEM_ROLES, NAMED_BY_CONTENT, NAMED_ITEM_ROLES } from "../names/role-tables.js";
import { addText, flushRun, TABLE_PARTS } from "../text/runs.js";
import { FOCUSED, HIDDEN, DISABLED, statesOf, valueOf } from "../names/states.js";
import { isReadable, textStates } from "../text/text.js";
import { BOXLESS, GONE, SEEN, presenceIn, presenceOf } from "../dom/visible.js";

/** @typedef {import("../dom/dom.js").Rect} Rect */

/**
 * One line of the list to be.
 * @typedef {object} Entry
 * @property {Element | null} el null for text
 * @property {number} parent index, or -1
 * @property {0|1|2|3} kind
 * @property {string} role
 * @property {string} name
 * @property {string | null} value
 * @property {number} states
 * @property {Rect | null} rect CSS px of the document's viewport
 * @property {Record<string, any> | null} extra
 * @property {boolean} dropped
 * @property {number} sure NOT, PERHAPS or SURE
 * @property {"" | "listener" | "cursor" | "tab" | "drag"} by what makes a PERHAPS
 * @property {string} key of a target: its role and name, up to digits
 * @property {number} was taken over: its place among the entries of the look before; else -1
 * @property {{x: number, y: number} | null} moved taken over: how far it has moved since that look, CSS px
 */

/**
 * What holds below an element.
 * @typedef {object} Above
 * @property {number} index of the entry it is in
 * @property {string} said text already said
 * @property {boolean} pointer the cursor is a pointer already
 * @property {boolean} control inside a control
 * @property {boolean} quiet all text in here is a control's name already
 * @property {boolean} editable inside rich text
 * @property {boolean} label inside a label
 * @property {boolean} item right inside a list item
 * @property {boolean} table the nearest table is one by role too
 * @property {number} bits states that go down: HIDDEN, DISABLED
 */

/** @typedef {{detail: boolean, text: boolean, paths: Map<Element, string>}} WalkOptions */

/**
 * @typedef {object} Walk
 * @property {Entry[]} entries
 * @property {import("../dom/look.js").Look} look
 * @property {WalkOptions} options
 * @property {import("../text/text.js").Run | null} run
 * @property {Element | null} active
 * @property {Element[]} hosts
 * @property {number} covered how many targets something covers
 * @property {Node} tree the document or shadow root the walk is in
 * @property {boolean} shadows whether it came into any shadow root
 * @property {number} number of this look; 0: nothing of it is to be taken over
 * @property {number} taken the look whose regions may be taken over, or 0
 * @property {Entry[]} before the entries of that look
 * @property {number} [depth] of the element whose children are visited
 */

/** Deeper than calls can go nothing is listed; parsers nest 512 deep at most. */
const DEEPEST_WALK = 700;
const SKIP = new Set(["script", "style", "template", "noscript", "head", "meta", "link", "title", "base", "datalist", "param", "source", "track", "desc", "metadata", "defs", "symbol", "rp"]);
/** Elements whose inside is said by them alone. */
const CLOSED = new Set(["select", "input", "textarea", "iframe", "frame", "fencedframe", "canvas", "video", "audio", "object", "embed", "progress", "meter", "img", "math"]);
const FRAMES = new Set(["iframe", "frame", "fencedframe"]);
const DRAG_CURSOR = /^(grab|move|.+-resize)$/;
/** Elements that pages fold away by their size. */
const SHUTTERS = new Set(["div", "ul", "ol", "nav", "section", "aside", "main", "header", "footer", "form", "fieldset", "article", "dl", "menu"]);
const HOST_LIMIT = 200;

/** Visits an element whose parent is rendered. @param {Walk} walk @param {Element} el @param {Above} above */
export function visit(walk, el, above) {
  const tag = tagOf(el);
  if (SKIP.has(tag)) return;
  if (tag === "br") return void flushRun(walk);
  if (visitPlain(walk, el, tag, above, visitChildren)) return;
  const bits = scanAttributes(el);
  if (bits & INERT) return;
  const presence = TABLE_PARTS.has(tag) ? SEEN : presenceIn(walk.look, el, sheetsIn(walk.look, el, walk.tree).unseen);
  if (presence === GONE || (SHUTTERS.has(tag) && isShut(el))) return;
  let sure = presence === SEEN ? operability(el, tag, bits) : NOT;
  /** @type {Entry["by"]} */
  let by = sure === PERHAPS ? (isListening(el, bits) ? "listener" : has(el, "draggable") ? "drag" : "tab") : "";
  let pointer = above.pointer;
  if (sure === NOT && presence === SEEN && !pointer && !above.control && sheetsIn(walk.look, el, walk.tree).cursor) {
    const cursor = styleOf(el).cursor;
    if (cursor === "pointer") [pointer, by, sure] = [true, "cursor", PERHAPS];
    else if (DRAG_CURSOR.test(cursor)) [by, sure] = ["drag", PERHAPS];
    if (tag === "html" || tag === "body") [by, sure] = ["", NOT];
  } else if (sure !== NOT) pointer = true;
  if (above.control && sure === PERHAPS && by !== "listener") sure = NOT;
  if (sure !== NOT && TABLE_PARTS.has(tag) && presenceOf(el) !== SEEN) return;
  const block = leaveLine(walk, el, tag, sure !== NOT || (tag === "label" && unseenControl(walk, el) !== null));
  const below = { index: above.index, said: above.said, pointer, control: above.control, quiet: above.quiet, editable: above.editable, bits: above.bits, label: above.label || tag === "label", item: tag === "li", table: above.table };
  if (tag === "table") below.table = tableRole(el) === "table";
  if (bits & EDIT) below.editable = isEditable(el);
  if (bits & ASIDE && attr(el, "aria-hidden") === "true") below.bits |= HIDDEN;
  if (bits & ARIA && attr(el, "aria-disabled") === "true") below.bits |= DISABLED;
  const index = presence === SEEN ? enter(walk, el, tag, bits, sure, by, below) : -1;
  if (presence === SEEN && tag === "label" && index < 0) hushLabel(walk, el, below);
  if (tag === "img" && has(el, "usemap")) for (const area of areasOf(el)) enterArea(walk, area, below);
  if (!CLOSED.has(tag) && !(below.quiet && isPlain(el))) visitChildren(walk, el, tag, presence, below);
  if (block === null ? walk.run && isBlock(el) : block || index >= 0) flushRun(walk);
  if (index >= 0) settleEntry(walk, index);
}

/** Whether there is only one text in an element. @param {Element} el */
function isPlain(el) {
  const first = firstChildOf(el);
  return !first || (nodeTypeOf(first) === 3 && !nextSiblingOf(first) && !shadowOf(el));
}

/** Ends the line before a block or a target. Null: not known yet whether el is a block. @param {Walk} walk @param {Element} el @param {string} tag @param {boolean} target @returns {boolean | null} */
function leaveLine(walk, el, tag, target) {
  if (!walk.run && !target) return null;
  const block = target || isBlock(el) || tag === "td" || tag === "th";
  if (block) flushRun(walk);
  return block;
}

/** Whether an element starts its own line. @param {Element} el */
function isBlock(el) {
  const display = styleOf(el).display;
  return display !== "inline" && display !== "contents" && !display.startsWith("ruby");
}

/** Whether a box is closed so that nothing in it shows: no height or width, and it clips. @param {Element} node */
function isShut(node) {
  const el = /** @type {HTMLElement} */ (node);
  if (offsetHeightOf(el) > 0 && offsetWidthOf(el) > 0) return false;
  const style = styleOf(el);
  return style.display !== "inline" && style.display !== "contents" && style.position !== "static" && /hidden|clip/.test(style.overflowX) && /hidden|clip/.test(style.overflowY);
}

/**
 * Adds the entry of an element, if it gets one.
 * @param {Walk} walk @param {Element} el @param {string} tag @param {number} bits @param {number} sure @param {Entry["by"]} by @param {Above} below
 * @returns {number} its index, or -1
 */
function enter(walk, el, tag, bits, sure, by, below) {
  if (FRAMES.has(tag)) return enterFrame(walk, el, below);
  noteHost(walk, el, tag);
  const hidden = tag === "label" && sure !== SURE ? unseenControl(walk, el) : null;
  // A label is not a target beside its control, whatever listens on it: a click on it is a click on the control.
  if (tag === "label" && sure === PERHAPS && !hidden && controlOf(el)) sure = NOT;
  const role = hidden ? roleOf(hidden) : roleOf(el);
  const isNamed = (bits & ARIA) !== 0 && isLabelled(el);
  const isItem = ITEM_ROLES.has(role) || (isNamed && NAMED_ITEM_ROLES.has(role));
  if (sure === NOT && !hidden && !isItem) return -1;
  if (sure === NOT && !hidden && below.control && role !== "heading") return -1;
  /** @type {Entry} */
  const entry = { el, parent: below.index, kind: 1, role, name: "", value: null, states: below.bits, rect: null, extra: null, dropped: false, sure: hidden ? SURE : sure, by, key: "", was: -1, moved: null };
  if (sure !== NOT || hidden) {
    if (!makeTarget(walk, entry, tag, hidden)) {
      if (!isItem || below.control || sure === SURE) return -1;
      entry.sure = NOT;
      entry.by = "";
      entry.kind = 1;
    }
  }
  const speaker = hidden ?? el;
  entry.states |= statesOf(speaker, hidden !== null || (bits & ARIA) !== 0, below.editable);
  if (el === walk.active) entry.states |= FOCUSED;
  if (entry.kind === 2 || isNamed || role !== "cell" && role !== "row") entry.name = !hidden && entry.states & HIDDEN ? "" : nameRegardless(speaker, role, walk.look);
  if (entry.kind === 2 || !NAMELESS.has(role)) entry.value = valueOf(speaker, role, below.editable);
  if (hidden) {
    // What is operated is the control; the label is where it is seen.
    entry.el = hidden;
    entry.extra = { via: numberOf(el) };
  }
  entry.extra = extraOf(speaker, hidden ? tagOf(hidden) : tag, role, entry, walk.options);
  const index = walk.entries.push(entry) - 1;
  below.index = index;
  if (entry.sure === SURE) {
    below.control = true;
    below.quiet = entry.name !== "" && (bits & ARIA) === 0 && !(hidden && isLabelled(hidden)) && NAMED_BY_CONTENT.has(role) && !CONTROL_TAGS.has(tag);
  }
  if (entry.name && (entry.kind === 2 || role === "heading")) below.said = entry.name;
  if (below.editable && entry.value) below.said = entry.name + entry.value;
  return index;
}

/** Controls that a label may name, so that their own text is something else. */
const CONTROL_TAGS = new Set(["button", "input", "select", "textarea"]);
const NAMELESS = new Set(["cell", "row", "list", "listitem", "heading", "table", "navigation", "main", "banner", "img", "group"]);

/** The control of a label that is itself not rendered at all. @param {Walk} walk @param {Element} label */
function unseenControl(walk, label) {
  const control = controlOf(label);
  // One of several labels stands for it.
  return control && presenceIn(walk.look, control) === GONE && standIn(control) === label ? control : null;
}

/** A label's text is its control's name: don't say it twice. @param {Walk} walk @param {Element} label @param {Above} below */
function hushLabel(walk, label, below) {
  const control = controlOf(label);
  if (!control) return;
  const said = nameRegardless(control, roleOf(control), walk.look);
  if (!isReadable(said)) return;
  below.said = said;
  below.quiet = !isLabelled(control);
}

/** @param {Walk} walk @param {Element} el @param {Above} below */
function enterFrame(walk, el, below) {
  const rect = rectOf(el);
  if (rect.width < LEAST_SIDE || rect.height < LEAST_SIDE) return -1;
  flushRun(walk);
  /** @type {Record<string, any>} */
  const extra = { href: attr(el, "src") ?? undefined };
  if (tagOf(el) === "fencedframe") extra.hint = "fenced: can't be read";
  if (walk.options.detail) detailExtra(extra, el, walk.options.paths);
  /** @type {Entry} */
  const entry = { el, parent: below.index, kind: 3, role: "iframe", name: nameRegardless(el, "iframe", walk.look), value: null, states: below.bits | textStates(rect, walk.look.view) | (el === walk.active ? FOCUSED : 0), rect, extra, dropped: false, sure: SURE, by: "", key: "", was: -1, moved: null };
  return walk.entries.push(entry) - 1;
}

/** An area of an image map; it is not rendered, so the walk doesn't come by it. @param {Walk} walk @param {Element} area @param {Above} above */
function enterArea(walk, area, above) {
  const index = enter(walk, area, "area", scanAttributes(area), SURE, "", { ...above });
  if (index >= 0) settleEntry(walk, index);
}

/** Notes an element that may have a closed root. @param {Walk} walk @param {Element} el @param {string} tag */
function noteHost(walk, el, tag) {
  if (walk.hosts.length >= HOST_LIMIT) return;
  if (mayHost(tag) && tag !== "body" && (tag.includes("-") || !firstChildOf(el)) && !shadowOf(el)) walk.hosts.push(el);
}

/** @param {Walk} walk @param {Element} el @param {string} tag @param {number} presence @param {Above} below */
function visitChildren(walk, el, tag, presence, below) {
  const depth = walk.depth ?? 0;
  if (depth > DEEPEST_WALK) return;
  walk.depth = depth + 1;
  visitEach(walk, el, tag, presence, below);
  walk.depth = depth;
}

/** @param {Walk} walk @param {Element} el @param {string} tag @param {number} presence @param {Above} below */
function visitEach(walk, el, tag, presence, below) {
  const shown = presence === SEEN || presence === BOXLESS;
  const special = specialChildren(el, tag);
  if (special) {
    const outer = walk.tree;
    walk.tree = shadowOf(el) ?? rootOf(el);
    walk.shadows = true;
    below.table = false;
    below.item = true;
    for (const child of special) visitNode(walk, el, child, shown, below);
    walk.tree = outer;
    return;
  }
  let members = 0;
  for (let child = firstChildOf(el); child; child = nextSiblingOf(child)) {
    if (nodeTypeOf(child) === 1 && ++members > LIST_FROM && walk.number) visitMember(walk, /** @type {Element} */ (child), below);
    else visitNode(walk, el, child, shown, below);
  }
}

/** Visits a member of a long list, or takes over what it gave before. @param {Walk} walk @param {Element} el @param {Above} below */
function visitMember(walk, el, below) {
  if (takeOver(walk, el, below)) return;
  const { length } = walk.entries;
  const { shadows, run } = walk;
  visit(walk, el, below);
  if (!run) noteRegion(walk, el, below, length, shadows);
}

/** @param {Walk} walk @param {Element} el @param {Node} child @param {boolean} shown @param {Above} below */
function visitNode(walk, el, child, shown, below) {
  const type = nodeTypeOf(child);
  if (type === 1) visit(walk, /** @type {Element} */ (child), below);
  else if (type === 3 && shown && walk.options.text) addText(walk, el, /** @type {Text} */ (child), below);
}
