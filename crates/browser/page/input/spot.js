// Where a press must come: a place in the target that was asked for, and one of the document, as browsers lose their way into frames
// that are moved by a transform.

import { boxOf } from "../dom/areas.js";
import { flatHolds, flatParentOf, isConnected, scrollLeftOf, scrollTopOf } from "../dom/dom.js";
import { deepestAt } from "../dom/hit.js";

/** @typedef {[number, number]} Place left and top, CSS px */
/** at: in the viewport; offset: in the target, from its top left corner; near: how far from there a press may come; strays: whether one may go astray on its way here @typedef {{at: Place, offset: Place | null, near: number, strays: boolean}} SpotSpec */

/**
 * @typedef {object} Spot
 * @property {SpotSpec} spec
 * @property {Element} anchor what lies there: the target, or something in it
 * @property {Place} inAnchor where the place is in that
 * @property {number} give how far what is pressed may move by that
 * @property {[Element, number, number][]} scrolled all that may scroll it, and how far each was
 * @property {boolean} moved whether it wasn't there any more before the press
 */

/** Events of a press that tell where it is. */
const PRESSED_BY = new Set(["pointerdown", "mousedown"]);
/** Style sheets of pages push what is pressed down, or shrink it a little: by so many px, or such a share of it, and so many px at most. */
const GIVE = { least: 8, share: 0.06, most: 24 };
/** Where an event that isn't a pointer's is, is rounded down both ways. */
const ROUNDED = Math.SQRT2;

/** Where a press must come in a target; "misplaced" where the target isn't there any more. @param {SpotSpec} spec @param {Element} target @returns {Spot | "misplaced"} */
export function spotIn(spec, target) {
  const { at, offset, near } = spec;
  if (!offset) return { spec, anchor: target, inAnchor: at, give: 0, scrolled: [], moved: false };
  const box = boxOf(target);
  if (!isNear(at, [box.left + offset[0], box.top + offset[1]], near)) return "misplaced";
  const hit = deepestAt(at[0], at[1]);
  const anchor = hit && flatHolds(target, hit) ? hit : target;
  const inner = boxOf(anchor);
  const give = Math.min(GIVE.most, Math.max(GIVE.least, GIVE.share * Math.max(box.width, box.height)));
  /** @type {Spot["scrolled"]} */
  const scrolled = [];
  for (let up = /** @type {Element | null} */ (anchor); up; up = flatParentOf(up)) scrolled.push([up, scrollLeftOf(up), scrollTopOf(up)]);
  return { spec, anchor, inAnchor: [at[0] - inner.left, at[1] - inner.top], give, scrolled, moved: false };
}

/** The pointer comes, which styles may move the target by, and the press after it is held to where it is then. @param {Spot} spot @param {Event} event @param {Element} target */
export function notePointer(spot, event, target) {
  if (!event.isTrusted || event.type !== "mousemove" || !spot.spec.offset || !(event instanceof MouseEvent)) return;
  try {
    spot.moved = !isThere(spot, event, target, spot.spec.near);
  } catch {
    spot.moved = true;
  }
}

/**
 * Why a press must not go on, or null. misplaced: it comes to another place than it was aimed at; shifted: what lay at that place of the
 * target lies elsewhere in it. @param {Event} event @param {Element} target @param {Spot | null} spot @returns {"misplaced" | "shifted" | null}
 */
export function placeFault(event, target, spot) {
  if (!spot || !PRESSED_BY.has(event.type) || !(event instanceof MouseEvent)) return null;
  const { strays, at, offset, near } = spot.spec;
  if (strays && !isNear([event.clientX, event.clientY], at, near + roundedBy(event))) return "misplaced";
  if (!offset) return null;
  const isHeld = spot.moved || spot.scrolled.some(([el, left, top]) => scrollLeftOf(el) !== left || scrollTopOf(el) !== top);
  const most = isHeld ? near : spot.give;
  if (isThere(spot, event, target, most)) return null;
  return isAtPlace(event, boxOf(target), offset, most) ? "shifted" : "misplaced";
}

/** Whether an event is at the place in the target, as what lies there is now. @param {Spot} spot @param {MouseEvent} event @param {Element} target @param {number} near */
function isThere({ spec, anchor, inAnchor }, event, target, near) {
  const own = isConnected(anchor) ? boxOf(anchor) : null;
  // What was hidden or replaced as the pointer came tells nothing.
  return own?.width || own?.height ? isAtPlace(event, own, inAnchor, near) : isAtPlace(event, boxOf(target), /** @type {Place} */ (spec.offset), near);
}

/** Whether an event is at a place in a box. @param {MouseEvent} event @param {import("../dom/dom.js").Rect} box @param {Place} place @param {number} near */
const isAtPlace = (event, box, [x, y], near) => isNear([event.clientX, event.clientY], [box.left + x, box.top + y], near + roundedBy(event));

/** @param {MouseEvent} event */
const roundedBy = (event) => (event instanceof PointerEvent ? 0 : ROUNDED);

/** Whether two places are no further apart than that; not where one isn't known. @param {Place} a @param {Place} b @param {number} near */
const isNear = (a, b, near) => Math.hypot(a[0] - b[0], a[1] - b[1]) <= near;
