// Where a press must come: a place in the target that was asked for, and one of the document, as browsers lose their way into frames
// that are moved by a transform.

import { boxOf } from "../dom/areas.js";
import { attr, flatHolds, flatParentOf, isConnected, scrollLeftOf, scrollTopOf, scrollingElementOf, tagOf } from "../dom/dom.js";
import { deepestAt } from "../dom/hit.js";
import { isListening } from "../dom/marks.js";
import { isSureControl } from "../capture/operable.js";

/** @typedef {[number, number]} Place left and top, CSS px */
/** at: in the viewport; offset: in the target, from its top left corner; near: how far from there a press may come; strays: whether one may go astray on its way here @typedef {{at: Place, offset: Place | null, near: number, strays: boolean}} SpotSpec */
/** A place in an element, and how large that was. @typedef {{el: Element, place: Place, width: number, height: number}} Anchor */

/**
 * @typedef {object} Spot
 * @property {SpotSpec} spec
 * @property {Anchor[]} anchors what lies there, up to the target: the first one that is still shown tells where the place is
 * @property {number} give how far a press may come from there for what styles do to what is pressed
 * @property {[Element, number, number][]} scrolled all that may scroll it, and how far each was
 * @property {boolean} moved whether it wasn't there any more before the press
 * @property {boolean} pressed whether the target has had the press, so that what moves since moves in answer to it
 */

/** Events of a press that tell where it is. */
const PRESSED_BY = new Set(["pointerdown", "mousedown"]);
/** Style sheets of pages push what is pressed down, or shrink it a little: by so many px, or such a share of it, and so many px at most. */
const GIVE = { least: 8, share: 0.06, most: 24 };
/** Where an event that isn't a pointer's is, is rounded down both ways. */
const ROUNDED = Math.SQRT2;
/** In these each place is another thing. */
const DRAWN = { tags: new Set(["canvas", "svg", "img", "video", "object", "embed"]), roles: new Set(["application", "img", "slider", "scrollbar"]) };

/** Where a press must come in a target; "misplaced" where the target isn't there any more. @param {SpotSpec} spec @param {Element} target @returns {Spot | "misplaced"} */
export function spotIn(spec, target) {
  const { at, offset, near } = spec;
  const spot = { spec, anchors: [], give: near, scrolled: [], moved: false, pressed: false };
  if (!offset) return spot;
  const box = boxOf(target);
  if (!isNear(at, [box.left + offset[0], box.top + offset[1]], near)) return "misplaced";
  const isOne = isSureControl(target) && !isDrawn(target);
  if (isOne || (isListening(target) && !isDrawn(target))) spot.give = Math.min(GIVE.most, Math.max(GIVE.least, GIVE.share * Math.max(box.width, box.height)));
  const hit = deepestAt(at[0], at[1]);
  // What a control shows is one thing with it, wherever that goes.
  const first = !isOne && hit && flatHolds(target, hit) ? hit : target;
  const [anchors, scrolled] = [/** @type {Anchor[]} */ ([]), /** @type {Spot["scrolled"]} */ ([])];
  for (let up = /** @type {Element | null} */ (first); up; up = flatParentOf(up)) {
    if (up === first || flatHolds(target, up)) anchors.push(anchorIn(up, at));
    scrolled.push([up, scrollLeftOf(up), scrollTopOf(up)]);
  }
  return { ...spot, anchors, scrolled };
}

/** @param {Element} el */
const isDrawn = (el) => DRAWN.tags.has(tagOf(el)) || DRAWN.roles.has(attr(el, "role") ?? "");

/** @param {Element} el @param {Place} at @returns {Anchor} */
function anchorIn(el, at) {
  const { left, top, width, height } = boxOf(el);
  return { el, place: [at[0] - left, at[1] - top], width, height };
}

/** The pointer comes, which styles may move the target by, and the press after it is held to where it is then. @param {Spot} spot @param {Event} event */
export function notePointer(spot, event) {
  if (!event.isTrusted || event.type !== "mousemove" || !spot.spec.offset || !(event instanceof MouseEvent)) return;
  try {
    spot.moved = !isAtPlace(event, placeNow(spot), spot.spec.near);
  } catch {
    spot.moved = true;
  }
}

/**
 * Why a press must not go on, or null. misplaced: it comes to another place than it was aimed at; shifted: what lay at that place of the
 * target lies elsewhere in it. @param {Event} event @param {Spot | null} spot @returns {"misplaced" | "shifted" | null}
 */
export function placeFault(event, spot) {
  if (!spot || !PRESSED_BY.has(event.type) || !(event instanceof MouseEvent)) return null;
  const { strays, at, offset, near } = spot.spec;
  if (strays && !isAtPlace(event, at, near)) return "misplaced";
  if (!offset) return null;
  const place = placeNow(spot);
  const most = spot.moved || hasScrolled(spot.scrolled) ? near : spot.pressed ? GIVE.most : spot.give;
  if (!isNear(place, placeNow({ anchors: spot.anchors.slice(-1) }), most) || scrolledItself(spot)) return "shifted";
  return isAtPlace(event, place, most) ? null : "misplaced";
}

/** Whether a press was stopped for its place alone. @param {string | null | undefined} reason @returns {reason is "misplaced" | "shifted"} */
export const isAstray = (reason) => reason === "misplaced" || reason === "shifted";

/** The target has the press. @param {Spot | null} spot @param {Event} event */
export function noteReached(spot, event) {
  if (spot && event.type === "pointerdown") spot.pressed = true;
}

/** @param {Spot["scrolled"]} scrolled */
const hasScrolled = (scrolled) => scrolled.some(([el, left, top]) => scrollLeftOf(el) !== left || scrollTopOf(el) !== top);

/** Whether what lies there has scrolled in itself: its box stays where it is. @param {Spot} spot */
function scrolledItself({ spec, scrolled }) {
  const [el, left, top] = scrolled[0];
  return el !== scrollingElementOf(document) && !isNear([scrollLeftOf(el), scrollTopOf(el)], [left, top], spec.near);
}

/** Where the place is now, in the viewport: in what lies there as a share of its size. @param {{anchors: Anchor[]}} spot @returns {Place} */
function placeNow({ anchors }) {
  const shown = anchors.map((anchor) => /** @type {const} */ ([anchor, isConnected(anchor.el) ? boxOf(anchor.el) : null]));
  // What was hidden or replaced as the pointer came tells nothing.
  const [{ place, width, height }, box] = shown.find(([, now]) => now && (now.width || now.height)) ?? shown[shown.length - 1];
  if (!box) return [Number.NaN, Number.NaN];
  return [box.left + place[0] * (width ? box.width / width : 1), box.top + place[1] * (height ? box.height / height : 1)];
}

/** Whether an event is at a place of the viewport. @param {MouseEvent} event @param {Place} place @param {number} near */
const isAtPlace = (event, place, near) => isNear([event.clientX, event.clientY], place, near + (event instanceof PointerEvent ? 0 : ROUNDED));

/** Whether two places are no further apart than that; not where one isn't known. @param {Place} a @param {Place} b @param {number} near */
const isNear = (a, b, near) => Math.hypot(a[0] - b[0], a[1] - b[1]) <= near;
