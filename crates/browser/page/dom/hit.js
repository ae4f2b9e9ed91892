// What lies at a point, and whether it belongs to a target.

import { boxOf } from "./areas.js";
import { childList, controlOf, elementAt, flatParentOf, isConnected, isElement, rectsOf, shadowOf, tagOf, rootOf, innerTextOf } from "./dom.js";
import { isListening } from "./marks.js";
import { isSureControl } from "../capture/operable.js";
import { nameOf } from "../names/names.js";
import { tidyText } from "../text/spacing.js";

/** @typedef {{x: number, y: number, w: number, h: number}} Box CSS px of the document's viewport */

/** The deepest element at a point (CSS px), through open and adopted shadow roots. @param {number} x @param {number} y @returns {Element | null} */
export function deepestAt(x, y) {
  let at = elementAt(document, x, y);
  while (at) {
    const inner = innerAt(at, x, y);
    if (!inner) return at;
    at = inner;
  }
  return null;
}

/** What a host's own tree has at the point, if that is further in. @param {Element} host @param {number} x @param {number} y @returns {Element | null} */
export function innerAt(host, x, y) {
  const root = shadowOf(host);
  const inner = root && elementAt(root, x, y);
  return inner && inner !== host && rootOf(inner) === root ? inner : null;
}

/**
 * Whether a hit element stands for the target: it is the target, something in it that is not
 * a different control, or the target's label. At a place in it that was asked for, a part of
 * it that merely listens is the target's own: the bar of a chart, the marker on a map.
 * @param {Element | null} hit @param {Element} target @param {boolean} [place] @param {boolean} [own] whether words that listen themselves don't do
 * @returns {boolean}
 */
export function belongs(hit, target, place = false, own = false) {
  let rival = null;
  const summary = ownSummary(target);
  for (let at = hit; at; at = flatParentOf(at)) {
    if (at === target) return rival === null || hasItsName(rival, target) || (!own && saysNoMore(rival, target));
    if (tagOf(at) === "label" && !rival && controlOf(at) === target) return true;
    // What opens and closes it is no control of another thing.
    if (at === summary) rival = null;
    else if (!rival && (place ? isSureControl(at) : isRival(at, target))) rival = at;
  }
  return false;
}

/** What opens and closes a `details`. @param {Element} el @returns {Element | null} */
export const ownSummary = (el) => (tagOf(el) === "details" ? (childList(el).filter(isElement).find((one) => tagOf(one) === "summary") ?? null) : null);

/** Whether an element inside the target takes clicks for itself. @param {Element} el @param {Element} target */
function isRival(el, target) {
  if (isSureControl(el)) return true;
  return isListening(el) && !isSureControl(target);
}

/** A link in a tab of the same name is the same thing to a person. @param {Element} a @param {Element} b */
function hasItsName(a, b) {
  const name = nameOf(a);
  return name !== "" && name === nameOf(b);
}

/** So are the words of an item, where both only listen and it has no other place. @param {Element} a @param {Element} b */
function saysNoMore(a, b) {
  const words = isSureControl(a) || isSureControl(b) ? "" : wordsOf(a);
  return words !== "" && words === wordsOf(b);
}

/** All that an element shows. @param {Element} el */
const wordsOf = (el) => tidyText(innerTextOf(el));

/** @param {import("./dom.js").Rect} r @param {Box} view @returns {Box | null} */
function cut(r, view) {
  const x = Math.max(r.left, view.x);
  const y = Math.max(r.top, view.y);
  const w = Math.min(r.right, view.x + view.w) - x;
  const h = Math.min(r.bottom, view.y + view.h) - y;
  return w > 0 && h > 0 ? { x, y, w, h } : null;
}

/** @returns {Box} */
export const viewBox = () => ({ x: 0, y: 0, w: innerWidth, h: innerHeight });

const CENTRE = [[0.5, 0.5]];
const GRID = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.5], [0.9, 0.5], [0.1, 0.1], [0.9, 0.9], [0.9, 0.1], [0.1, 0.9]];

/**
 * A point of the element where a click would reach it, or null; tries the centre of every
 * client rect, then a grid over each, inside the viewport.
 * @param {Element} el @param {Element} [target] what the hit must belong to, when not el @returns {[number, number] | null}
 */
export function openPoint(el, target = el) {
  const view = viewBox();
  const whole = boxOf(el);
  const boxes = [];
  for (const r of rectsOf(el)) {
    const box = cut(r, view);
    if (box) boxes.push(box);
    if (boxes.length === 3) break;
  }
  const united = cut(whole, view);
  if (united && boxes.length !== 1) boxes.push(united);
  for (const own of [true, false]) {
    for (const grid of [CENTRE, GRID]) {
      for (const box of boxes) {
        for (const [fx, fy] of grid) {
          const x = box.x + box.w * fx;
          const y = box.y + box.h * fy;
          if (belongs(deepestAt(x, y), target, false, own)) return [x, y];
        }
      }
    }
  }
  return null;
}

/** What is on top of an element at its middle, inside the viewport. @param {Element} el @returns {Element | null} */
export function coverOf(el) {
  const box = cut(boxOf(el), viewBox());
  const hit = box && deepestAt(box.x + box.w / 2, box.y + box.h / 2);
  return hit && isConnected(hit) ? hit : null;
}
