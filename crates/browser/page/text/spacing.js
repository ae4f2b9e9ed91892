// White space as rendering has it.

import { withoutGlyphs } from "./glyphs.js";

/** Folds white space as rendering does, trimming the ends; no-break spaces stay, glyphs of icon fonts don't. Most text is tidy already. @param {string} text */
export function tidyText(text) {
  const said = withoutGlyphs(text);
  return /[\t\n\f\r]|  |^ | $/.test(said) ? said.replace(/[\t\n\f\r ]+/g, " ").replace(/^ | $/g, "") : said;
}
