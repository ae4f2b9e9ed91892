// Ripples and waves that a page draws in what is pressed, whatever the press is good for. They go by themselves, some of them only
// after a second or two.

import { animationsOf, attrNames, flatHolds, isConnected, isElement, isHtmlElement, isMatch, queryAll, rectOf, shadowOf, styleOf, textContentOf } from "../dom/dom.js";
import { isTransparent } from "../dom/visible.js";
import { pressedControl } from "./pressed.js";

/** What shows more than that something was pressed. */
const SAYS_MORE = "img, svg, picture, canvas, video, audio, object, embed, iframe, input, button, select, textarea, progress, meter, a, [role], [title], [tabindex]";
/** Of so many elements a ripple is at most. */
const RIPPLE_PARTS = 8;

/** What was one when it was last looked at: what is taken out can't be looked at any more. @type {WeakSet<Node>} */
const ripples = new WeakSet();

/** Whether a child that came, or went, is a ripple. @param {Node} node */
export function isRipple(node) {
  if (!isConnected(node)) return ripples.has(node);
  const is = isElement(node) && isDrawnByPress(node);
  if (is) ripples.add(node);
  else ripples.delete(node);
  return is;
}

/** Whether a node is one that was there before. @param {Node} node */
export const isKnownRipple = (node) => ripples.has(node);

/**
 * Nothing but shapes over what is pressed, which move nothing and aren't there to stay: each of them fades, or has faded. A check mark
 * that fades in is there once it has.
 * @param {Element} el
 */
function isDrawnByPress(el) {
  const control = pressedControl();
  if (!control || control === el || !flatHolds(control, el) || textContentOf(el).trim()) return false;
  const parts = [el, ...queryAll(el, "*")];
  if (parts.length > RIPPLE_PARTS || !parts.every(isMereShape) || !/^(absolute|fixed)$/.test(styleOf(el).position)) return false;
  const moving = parts.some((part) => !isFaded(part)) ? animatedNow() : [];
  return parts.every((part) => isFaded(part) || moving.some((one) => flatHolds(one, part)));
}

/** @param {Element} el */
const isMereShape = (el) => isHtmlElement(el) && !isMatch(el, SAYS_MORE) && !shadowOf(el) && !attrNames(el).some((name) => name.startsWith("aria-") && name !== "aria-hidden");

/** @param {Element} el */
function isFaded(el) {
  const { width, height } = rectOf(el);
  return width < 1 || height < 1 || isTransparent(el);
}

/** What is animated now and won't be for ever. @returns {Element[]} */
function animatedNow() {
  const all = [];
  for (const { effect, playState } of animationsOf(document)) {
    const target = effect instanceof KeyframeEffect && effect.pseudoElement === null ? effect.target : null;
    if (target && playState === "running" && effect?.getComputedTiming().iterations !== Infinity) all.push(target);
  }
  return all;
}
