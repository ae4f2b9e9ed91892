// Where an element is: in view, scrolled away, clipped for good, behind a modal.

import { bodyOf, documentElementOf, flatHolds, flatParentOf, isMatch, queryAll, rectOf, scrollWidthOf, clientWidthOf, scrollHeightOf, clientHeightOf, overflows, offsetParentOf, isHtmlElement } from "./dom.js";
import { deepestAt } from "./hit.js";
import { sheetsIn, styleIn } from "./look.js";

/** @typedef {import("./look.js").Look} Look */

/** Smallest side that can be operated, in CSS px. */
export const LEAST_SIDE = 2;

/** @param {{left: number, top: number, right: number, bottom: number}} r @param {import("./look.js").View} view */
export const isInView = (r, view) => r.right > 0 && r.bottom > 0 && r.left < view.w && r.top < view.h;

const CLIPS = /auto|scroll|hidden|clip/;

/**
 * Why a point test missed an element inside the viewport: it is scrolled out of a scroller
 * ("scrolled"), clipped with no way to reveal it ("clipped"), or under something ("covered").
 * @param {Element} el @param {{left: number, top: number, right: number, bottom: number}} rect @param {Look} look @returns {"scrolled" | "clipped" | "covered"}
 */
export function whyMissed(el, rect, look) {
  let { left, top, right, bottom } = rect;
  let scrollable = false;
  let position = styleIn(look, el).position;
  for (let up = flatParentOf(el); up && up !== documentElementOf(document) && up !== bodyOf(document); up = flatParentOf(up)) {
    if (position === "fixed") break;
    const style = styleIn(look, up);
    if (position === "absolute" && style.position === "static") continue;
    const [x, y] = [CLIPS.test(style.overflowX), CLIPS.test(style.overflowY)];
    if (x || y) {
      const frame = rectOf(up);
      if (x) [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
      if (y) [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
      scrollable ||= canReveal(up, style, frame);
      if (right - left < LEAST_SIDE || bottom - top < LEAST_SIDE) return scrollable ? "scrolled" : "clipped";
    }
    position = style.position;
  }
  return isInView({ left, top, right, bottom }, look.view) ? "covered" : "scrolled";
}

/** Whether scrolling a box, by hand or by script, can show more of it. @param {Element} el @param {CSSStyleDeclaration} style @param {import("./dom.js").Rect} frame */
function canReveal(el, style, frame) {
  if (frame.width < LEAST_SIDE || frame.height < LEAST_SIDE) return false;
  const across = style.overflowX !== "clip" && scrollWidthOf(el) > clientWidthOf(el) + 1;
  return across || (style.overflowY !== "clip" && scrollHeightOf(el) > clientHeightOf(el) + 1);
}

/**
 * Whether an element outside the viewport can be scrolled into it.
 * @param {Element} el @param {{left: number, top: number, right: number, bottom: number}} rect @param {Look} look @param {Node} [tree] the root of el, when known
 */
export function isReachable(el, rect, look, tree) {
  const fixed = sheetsIn(look, el, tree).fixed ? fixedAbove(el, look) : null;
  const before = rect.right + look.view.x <= 0 || rect.bottom + look.view.y <= 0;
  if (!fixed && !before) return true;
  for (let up = flatParentOf(el); up && up !== bodyOf(document); up = flatParentOf(up)) {
    if (up === fixed && styleIn(look, up).overflow === "visible") return false;
    if (isHtmlElement(up) && overflows(up)) {
      if (CLIPS.test(styleIn(look, up).overflow)) return isInView(rectOf(up), look.view);
    }
    if (up === fixed) return false;
  }
  return !before || getComputedStyle(/** @type {Element} */ (documentElementOf(document))).direction === "rtl";
}

/** The outermost fixed element an element is in (itself included), by the chain of offset parents. @param {Element} el @param {Look} look @returns {Element | null} */
export function fixedAbove(el, look) {
  let at = /** @type {Element | null} */ (el);
  while (at && !isHtmlElement(at)) at = flatParentOf(at);
  let last = /** @type {HTMLElement | null} */ (at);
  for (let up = last; up; up = offsetParentOf(up)) last = up;
  if (!last || last === bodyOf(document) || last === documentElementOf(document)) return null;
  return styleIn(look, last).position === "fixed" ? last : null;
}

/**
 * What stands before the whole page: the roots of a modal dialog or of fixed layers that take
 * every sampled point of the viewport. Empty when the page itself can be reached.
 * @param {Look} look @returns {Element[]}
 */
export function veilOf(look) {
  const modal = queryAll(document, ":modal");
  if (modal.length) return modal.slice(-1);
  /** @type {Set<Element>} */
  const layers = new Set();
  for (const [fx, fy] of [[0.5, 0.5], [0.02, 0.02], [0.98, 0.02], [0.02, 0.98], [0.98, 0.98]]) {
    const hit = deepestAt(innerWidth * fx, innerHeight * fy);
    const layer = hit && fixedAbove(hit, look);
    if (!layer) return [];
    layers.add(layer);
  }
  const whole = [...layers].some((layer) => {
    const r = rectOf(layer);
    return r.width >= innerWidth * 0.95 && r.height >= innerHeight * 0.95;
  });
  return whole ? [...layers] : [];
}

/** Whether an element is behind the veil. @param {Element} el @param {Element[]} veil */
export const isVeiled = (el, veil) => veil.length > 0 && !veil.some((layer) => flatHolds(layer, el));

/** Whether the document shows a modal dialog. */
export const hasModal = () => queryAll(document, ":modal").some((el) => isMatch(el, "dialog"));
