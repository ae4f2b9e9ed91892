// Texts that a target is held to, evaluated. What may change in a text is the engine's to decide: it comes as data, literal
// pieces with patterns between them, and there is no other rule here than that a text must read so.

const ASCII = /^[\x00-\x7f]*$/;
const WIDTHLESS = /[\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f]/g;

/** @typedef {{pieces: string[], gaps: string[], open?: boolean}} HeldText open: anything may follow */
/** @typedef {{role?: string | null, texts: [string, HeldText][], row?: import("../capture/rows.js").HeldRow | null, leads?: Record<string, string> | null, own?: string | null, choices: [string, string][]}} Held */

/** Full case folding, but for letters that no two texts here will differ in alone: both sides pass through it. @param {string} text */
const foldCase = (text) => (ASCII.test(text) ? text.toLowerCase() : text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC"));

/** Text as it is compared: NFKC, case, one space for white space, nothing of no width. @param {string} text */
export function normalize(text) {
  const folded = foldCase(text);
  return (ASCII.test(folded) ? folded : folded.replace(WIDTHLESS, "")).replace(/[\s\x85]+/g, " ").trim();
}

/** @param {string} text */
const escape = (text) => text.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&");

/** Patterns by what they are made of: the same held texts are asked for in each event. @type {WeakMap<HeldText, RegExp>} */
const patterns = new WeakMap();

/** @param {HeldText} held */
function patternOf(held) {
  let pattern = patterns.get(held);
  if (!pattern) {
    const source = held.pieces.map((piece, i) => (i ? `(?:${held.gaps[i - 1]})` : "") + escape(foldCase(piece))).join("");
    patterns.set(held, (pattern = new RegExp(`^${source}${held.open ? "" : "$"}`, "u")));
  }
  return pattern;
}

/** Whether a text reads as it is held to. @param {HeldText} held @param {string} text */
export function reads(held, text) {
  const now = normalize(text);
  if (held.pieces.length === 1 && !held.open) return foldCase(held.pieces[0]) === now;
  return held.pieces.length === held.gaps.length + 1 && patternOf(held).test(now);
}
