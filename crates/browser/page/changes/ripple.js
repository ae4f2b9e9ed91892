// Ripples and waves that a page draws in what is pressed, whatever the press is good for. They fade, some of them for longer than an
// effect is waited for.

import { animationsIn, childrenOf, flatHolds, flatParentOf, isConnected, isElement, isHtmlElement, isMatch, queryAll, rectOf, styleOf, textContentOf } from "../dom/dom.js";
import { wholePressed } from "./pressed.js";

/** What shows more than that something was pressed. */
const SAYS_MORE = "img, svg, picture, canvas, video, audio, object, embed, iframe, input, button, select, textarea, progress, meter, a, [role], [title], [tabindex], [aria-label]";
/** Of so many elements a ripple is at most. */
const RIPPLE_PARTS = 8;

/** What was one while it was there: what is taken out can't be looked at any more. @type {WeakSet<Node>} */
const ripples = new WeakSet();
/** What a press drew over what was pressed, whether it fades or not. @type {WeakSet<Node>} */
const shapes = new WeakSet();

/** Whether a child that came with the gesture, or one that went, is a ripple. @param {Node} node @param {Set<Node>} added what came */
export function isRipple(node, added) {
  if (!isConnected(node)) return ripples.has(node);
  if (!added.has(node) || !isElement(node) || !isDrawnByPress(node)) return false;
  shapes.add(node);
  const is = isFading(node);
  if (is) ripples.add(node);
  return is;
}

/** Whether an element is such a shape, or in one: what becomes of it after the press that drew it is none of the next one. @param {Element} el */
export function isOfShape(el) {
  for (let up = /** @type {Element | null} */ (el), i = 0; up && i < 3; i++, up = flatParentOf(up)) if (shapes.has(up)) return true;
  return false;
}

/** Shapes that a timer takes out were ripples. @param {NodeList} gone */
export function noteTakenOut(gone) {
  for (const node of gone) if (shapes.has(node)) ripples.add(node);
}

/** Whether an element is nothing but shapes over what is pressed, which move nothing. @param {Element} el */
function isDrawnByPress(el) {
  const control = wholePressed();
  if (!control || control === el || !flatHolds(control, el) || !/^(absolute|fixed)$/.test(styleOf(el).position)) return false;
  const inside = queryAll(el, "*");
  if (inside.length >= RIPPLE_PARTS || textContentOf(el).trim()) return false;
  return [el, ...inside].every((part) => isHtmlElement(part) && !isMatch(part, SAYS_MORE));
}

/** Whether an element fades or has faded, or shows nothing itself and all that is in it does. @param {Element} el @returns {boolean} */
function isFading(el) {
  if (styleOf(el).opacity === "0" || animationsIn(el).some(isFade)) return true;
  const { width, height } = rectOf(el);
  const inside = childrenOf(el);
  return width < 1 && height < 1 && inside.length > 0 && inside.every(isFading);
}

/** Whether an animation ends with nothing left to see. @param {Animation} one */
function isFade({ effect, playState }) {
  if (playState !== "running" || !(effect instanceof KeyframeEffect) || effect.pseudoElement !== null) return false;
  const last = effect.getKeyframes().at(-1);
  return last !== undefined && Number(last.opacity) === 0 && effect.getComputedTiming().iterations !== Infinity;
}
