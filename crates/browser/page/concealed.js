// Where the page shows what no picture may: passwords, and texts that were declared secret.

import { firstChildOf, nextSiblingOf, nodeTypeOf, queryAll, rectOf, shadowOf, tagOf, textContentOf } from "./dom.js";
import { isSecret } from "./states.js";

/** Whether an element shows one of these texts by itself: in its value, or in its own text. @param {Element} el @param {string[]} texts */
function showsAny(el, texts) {
  const tag = tagOf(el);
  if (tag === "input" || tag === "textarea") return texts.some((text) => /** @type {HTMLInputElement} */ (el).value.includes(text));
  let own = "";
  for (let n = firstChildOf(el); n; n = nextSiblingOf(n)) if (nodeTypeOf(n) === 3) own += textContentOf(n);
  return own.length > 0 && texts.some((text) => own.includes(text));
}

/** Every element of a tree, through shadow roots. @param {Document | ShadowRoot} root @returns {Generator<Element>} */
function* everyElement(root) {
  for (const el of queryAll(root, "*")) {
    yield el;
    const inner = shadowOf(el);
    if (inner) yield* everyElement(inner);
  }
}

/**
 * Boxes of password fields, and of what shows one of these texts.
 * @param {string[]} texts @param {boolean} passwords @returns {number[][]} left, top, width, height each
 */
export function concealed(texts, passwords) {
  const out = [];
  for (const el of everyElement(document)) {
    if (!(passwords && isSecret(el)) && !(texts.length && showsAny(el, texts))) continue;
    const { x, y, width, height } = rectOf(el);
    if (width > 0 && height > 0) out.push([x, y, width, height]);
  }
  return out;
}

/** What fields hold that were for passwords once and show it now: the browser's own trees tell it. @returns {string[]} */
export function revealed() {
  const out = new Set();
  for (const el of everyElement(document)) {
    if (tagOf(el) !== "input" || !isSecret(el)) continue;
    const { type, value } = /** @type {HTMLInputElement} */ (el);
    if (type !== "password" && value) out.add(value);
  }
  return [...out];
}

/**
 * A picture in another format.
 * @param {string} png base64 @param {string} type such as image/jpeg @param {number | null} quality 1 to 100 @returns {Promise<string>} base64
 */
export async function recoded(png, type, quality) {
  const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  const blob = await canvas.convertToBlob({ type, quality: (quality ?? 80) / 100 });
  const coded = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let i = 0; i < coded.length; i += 32768) text += String.fromCharCode(...coded.subarray(i, i + 32768));
  return btoa(text);
}
