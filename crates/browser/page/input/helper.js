// What a page puts under the pointer for the time of a press: the box of a lasso, the circle of a ripple. It stands for
// nothing, so it is no other target: what is left of the press comes to it and to what is above it, as it would by hand.

import { flatHolds, flatParentOf, queryAll, shadowOf, styleOf, textContentOf } from "../dom/dom.js";
import { isDelegating } from "../dom/marks.js";
import { hasAuthorName, roleOf } from "../names/roles.js";
import { isOperable } from "../capture/operable.js";
import { tidyText } from "../text/spacing.js";

/** Events that come to what is under the pointer by then. */
const HELPED = new Set(["mousedown", "pointerup", "mouseup"]);
/** Events that go to what the press and the release have in common. */
const CLICKS = new Set(["click", "auxclick"]);
/** So many elements a helper may be made of. */
const PARTS_MOST = 20;

/**
 * Whether an event that misses the target, and is left over of a press, comes to nothing but such a helper. A click goes to
 * what holds both: only where that and all above it are mere ground, since whatever listens there was meant to hear of the target.
 * @param {Event} event @param {Element | null} hit @param {Element} target @param {Element[]} ground what lay there when the press began
 */
export function isHelped(event, hit, target, ground) {
  if (HELPED.has(event.type)) return isHelper(hit, target, ground);
  return CLICKS.has(event.type) && hit !== null && (flatHolds(hit, target) || isHelper(hit, target, ground)) && isGround(hit);
}

/** Whether an element came up as a helper, with nothing above it but what is above the target. @param {Element | null} hit @param {Element} target @param {Element[]} ground */
function isHelper(hit, target, ground) {
  let at = hit;
  for (; at && !flatHolds(at, target); at = flatParentOf(at)) if (ground.includes(at) || !hasNothingToSay(at)) return false;
  return at !== null && at !== hit;
}

/** @param {Element} el */
function isGround(el) {
  for (let at = /** @type {Element | null} */ (el); at; at = flatParentOf(at)) if (isOperable(at)) return false;
  return true;
}

/** Whether it has no role, no name, no text, no picture and nothing that is known to listen. @param {Element} el */
function hasNothingToSay(el) {
  const parts = [el, ...queryAll(el, "*")];
  return parts.length <= PARTS_MOST && !tidyText(textContentOf(el)) && parts.every(isMeaningless);
}

/** @param {Element} el */
function isMeaningless(el) {
  if (shadowOf(el) || !/^(generic|none)$/.test(roleOf(el)) || hasAuthorName(el) || isOperable(el) || isDelegating(el)) return false;
  const isDrawn = (/** @type {string} */ pseudo) => !/^(none|normal|""|'')?$/.test(styleOf(el, pseudo).content);
  return !styleOf(el).backgroundImage.includes("url(") && !isDrawn("::before") && !isDrawn("::after");
}
