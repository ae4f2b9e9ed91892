// Icon fonts draw their pictures at code points for private use: none of them is text.

const GLYPH = /[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/;
const GLYPHS = /(?:[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff])+/g;
const EACH = new RegExp(GLYPH, "g");
/** So many of them are told of one icon. */
const MOST_GLYPHS = 8;

/** A text without the pictures of icon fonts. @param {string} text */
export const withoutGlyphs = (text) => (GLYPH.test(text) ? text.replace(GLYPHS, "") : text);

/** The numbers of the pictures of icon fonts in a text: they tell one icon from another. @param {string} text */
export const glyphsIn = (text) => (text.match(EACH) ?? []).slice(0, MOST_GLYPHS).map((glyph) => (glyph.codePointAt(0) ?? 0).toString(16));
