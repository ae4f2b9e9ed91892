// Icon fonts draw their pictures at code points for private use: none of them is text.

import { queryAll, styleOf, textContentOf } from "./dom.js";
import { contentString } from "./names-content.js";

const GLYPH = /[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/;
const GLYPHS = /(?:[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff])+/g;
/** Of what is in an icon so many elements are asked for what style sheets put into them. */
const ASKED = 4;

/** A text without the pictures of icon fonts. @param {string} text */
export const withoutGlyphs = (text) => (GLYPH.test(text) ? text.replace(GLYPHS, "") : text);

/** The number of the first picture of an icon font that an element shows, or "": that tells one icon from another. @param {Element} el */
export function glyphOf(el) {
  const found = GLYPH.exec(textContentOf(el)) ?? GLYPH.exec(generatedIn(el));
  return found ? (found[0].codePointAt(0) ?? 0).toString(16) : "";
}

/** What style sheets put before and behind what an icon is made of. @param {Element} el */
function generatedIn(el) {
  let out = "";
  for (const one of [el, ...queryAll(el, "i, span, b, em").slice(0, ASKED)]) {
    for (const which of ["::before", "::after"]) out += contentString(styleOf(one, which).content, which);
  }
  return out;
}
