// Whether an element is rendered. `checkVisibility` answers most questions without building
// a style object; the style is asked only when it says no.

import { flatParentOf, isShown, styleOf } from "./dom.js";

/** Not rendered, nor anything inside it. */
export const GONE = 0;
/** Has a box, but visibility hides it; something inside may be visible. */
export const UNSEEN = 1;
/** Rendered and visible. */
export const SEEN = 2;
/** No box of its own (display: contents); its children are rendered. */
export const BOXLESS = 3;

const WITH_VISIBILITY = { visibilityProperty: true };
const WITH_OPACITY = { opacityProperty: true };

/**
 * How an element whose parent is rendered is present.
 * @param {Element} el @param {boolean} [mayHide] whether any style sets visibility: asking for it takes longer @returns {0|1|2|3}
 */
export function presenceOf(el, mayHide = true) {
  if (mayHide ? isShown(el, WITH_VISIBILITY) : isShown(el)) return SEEN;
  const style = styleOf(el);
  if (style.display === "contents") return style.visibility === "visible" ? BOXLESS : UNSEEN;
  return isShown(el) ? UNSEEN : GONE;
}

/** The same, asked of the browser once in a look. @param {import("./look.js").Look} look @param {Element} el @param {boolean} [mayHide] @returns {0|1|2|3} */
export function presenceIn(look, el, mayHide) {
  const known = look.presence.get(el);
  if (known !== undefined) return known;
  const presence = presenceOf(el, mayHide);
  look.presence.set(el, presence);
  return presence;
}

/** Whether a person can see the element, given any place for it. @param {Element} el @returns {boolean} */
export function isVisible(el) {
  for (let at = /** @type {Element | null} */ (el); at; at = flatParentOf(at)) {
    const presence = presenceOf(at);
    if (presence !== BOXLESS) return presence === SEEN;
  }
  return true;
}

/** The same in a look that may know already. @param {import("./look.js").Look} look @param {Element} el */
export function isVisibleIn(look, el) {
  const presence = presenceIn(look, el);
  return presence === BOXLESS ? isVisible(el) : presence === SEEN;
}

/** Whether the element or one above it is fully transparent. @param {Element} el */
export const isTransparent = (el) => !isShown(el, WITH_OPACITY);
