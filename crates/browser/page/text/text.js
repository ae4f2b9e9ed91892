// Runs of text: what stands in one line for a reader, across inline elements.

import { plainRect, styleOf, newRange } from "../dom/dom.js";
import { tidyText } from "./spacing.js";
import { OFFSCREEN } from "../names/states.js";
import { isInView } from "../dom/place.js";
import { withoutGlyphs } from "./glyphs.js";
import { transformed } from "../names/content.js";

/**
 * @typedef {object} Run
 * @property {string} text
 * @property {Text} first
 * @property {Text} last
 * @property {Element} owner the element the first text is in
 * @property {number} parent index of the entry it belongs to
 * @property {string} said text that an ancestor already says
 */

/** For comparing what is said: no white space at all, no icon-font glyphs, lower case. @param {string} text */
export const fold = (text) => withoutGlyphs(text).replace(/[\s\u200b\u200c\u200d\ufeff]+/g, "").toLowerCase();

/** Whether two texts say the same. @param {string} a @param {string} b */
export const isSameSaid = (a, b) => a === b || fold(a) === fold(b);

/** Whether a text is part of what is said already. @param {string} said @param {string} text */
export const isSaidIn = (said, text) => said === text || fold(said).includes(fold(text));

/** Whether a text has something to read. @param {string} text */
export const isReadable = (text) => /[^\s\u200b\u200c\u200d\ufeff]/.test(withoutGlyphs(text));

const range = newRange();

/** Where a run is. @param {Run} run @returns {import("../dom/dom.js").Rect} CSS px */
export function runRect(run) {
  range.setStart(run.first, 0);
  range.setEnd(run.last, run.last.data.length);
  return plainRect(range.getBoundingClientRect());
}

/** The text of a run as shown. @param {Run} run @param {boolean} mayTransform */
export function runText(run, mayTransform) {
  const text = tidyText(run.text).trim();
  return mayTransform ? transformed(text, styleOf(run.owner).textTransform) : text;
}

/** The state bits of text. @param {import("../dom/dom.js").Rect} rect @param {import("../dom/look.js").View} view */
export const textStates = (rect, view) => (isInView(rect, view) ? 0 : OFFSCREEN);
