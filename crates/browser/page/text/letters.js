// Texts as they are compared when something is to be kept out of a picture: however their letters are written.

/** What stands between letters without being seen, or where a line may break. */
const BETWEEN = /[\s\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]+/g;
/** So short a text stands in others by chance. */
const LEAST = 4;

/** One case, one width, one way to write an accent, and nothing between. @param {string} text */
export function folded(text) {
  if (/^[\x21-\x7e]*$/.test(text)) return text.toLowerCase();
  let out = "";
  // Each letter by itself, so that they can be counted.
  for (const letter of text) out += letter.normalize("NFKD").toUpperCase().toLowerCase();
  return out.replace(BETWEEN, "");
}

/** Whether a folded text can be looked for. @param {string} text */
export const isLongEnough = (text) => text.length >= LEAST;

/** Whether a text says one of these. @param {string | null | undefined} said @param {string[]} texts */
export function saysAny(said, texts) {
  if (!said) return false;
  if (texts.some((text) => said.includes(text))) return true;
  const plain = folded(said);
  return texts.some((text) => isLongEnough(folded(text)) && plain.includes(folded(text)));
}
