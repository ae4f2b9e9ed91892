// Ripples and waves that a page draws in what is pressed, whatever the press is good for. They fade, some of them for longer than an
// effect is waited for.

import { animationsIn, childrenOf, flatHolds, flatParentOf, isConnected, isElement, isHtmlElement, isMatch, queryAll, rectOf, styleOf, textContentOf } from "../dom/dom.js";
import { wholePressed } from "./pressed.js";

/** What shows more than that something was pressed. */
const SAYS_MORE = "img, svg, picture, canvas, video, audio, object, embed, iframe, input, button, select, textarea, progress, meter, a, [role], [title], [tabindex], [aria-label]";
/** Whether a node shows more than that something was pressed, beside its text. @param {Node} node */
export const saysMore = (node) => isElement(node) && (isMatch(node, SAYS_MORE) || queryAll(node, SAYS_MORE).length > 0);

/** Of so many elements a ripple is at most. */
const RIPPLE_PARTS = 8;

/** What a press draws fades within so many ms, if it fades. */
const FADES_IN = 3000;
/** Styles that fading changes. */
const OF_FADING = /^(opacity|transform|scale|transition[a-z-]*)\s*:/;

/** What was one while it was there: what is taken out can't be looked at any more. @type {WeakSet<Node>} */
const ripples = new WeakSet();
/** What went later, and was drawn by a press of the same control not long before: a ripple, or a mark that was taken away. @type {WeakSet<Node>} */
const unsureOnes = new WeakSet();
/** What a press drew over what was pressed, whether it fades or not: when, and over what. @type {WeakMap<Node, {at: number, over: Element | null}>} */
const shapes = new WeakMap();

/**
 * Whether a child that came with the gesture, or one that went, is a ripple. Of one that may be, it is said that something can't be named.
 * @param {Node} node @param {{added: Set<Node>, unnamed: Set<import("./mutated.js").Cause>}} net
 */
export function isRipple(node, net) {
  if (!isConnected(node)) {
    if (unsureOnes.has(node)) net.unnamed.add("later");
    return ripples.has(node) || unsureOnes.has(node);
  }
  if (!net.added.has(node)) return false;
  ripples.delete(node);
  unsureOnes.delete(node);
  if (!isElement(node) || !isDrawnByPress(node)) return false;
  if (!shapes.has(node)) shapes.set(node, { at: performance.now(), over: wholePressed() });
  const is = isFading(node);
  if (is) ripples.add(node);
  return is;
}

/** Whether such a shape goes on fading that the press of another control drew just before. @param {Element} el @param {string} name of an attribute @param {string[]} sides what only one side of it holds */
export function isFadingOn(el, name, sides) {
  const drawn = shapes.get(el) ?? shapes.get(/** @type {Node} */ (flatParentOf(el)));
  if (!drawn || drawn.over === wholePressed() || performance.now() - drawn.at > FADES_IN) return false;
  return name === "class" || (name === "style" && sides.every((side) => side.split("; ").every((part) => !part || OF_FADING.test(part))));
}

/** Shapes that a timer takes out soon after were ripples, or may have been. @param {NodeList} gone */
export function noteTakenOut(gone) {
  for (const node of gone) {
    const drawn = shapes.get(node);
    if (drawn && performance.now() - drawn.at <= FADES_IN) (drawn.over === wholePressed() ? unsureOnes : ripples).add(node);
  }
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
