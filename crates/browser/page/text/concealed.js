// Where the page shows what no picture may: passwords, and texts that were declared secret.

import { attr, firstChildOf, isElement, isShown, isSvg, newRange, nextSiblingOf, nodeTypeOf, parentNodeOf, queryAll, rectOf, shadowOf, styleOf, tagOf, textContentOf, textWalker } from "../dom/dom.js";
import { generatedHolds, isPicture, pictureHolds } from "./drawn.js";
import { folded, isLongEnough, saysAny } from "./letters.js";
import { isSecret } from "../names/states.js";

/** Elements whose text is not shown. */
const NO_LETTERS = /^(script|style|template|noscript|option|optgroup|title)$/;

/** Whether an element shows one of these texts by itself: in its value, what stands there while it has none, its choices, or its own text. @param {Element} el @param {string[]} texts */
function showsAny(el, texts) {
  const holds = (/** @type {string | null} */ said) => saysAny(said, texts);
  const tag = tagOf(el);
  if (tag === "input" || tag === "textarea") return holds(/** @type {HTMLInputElement} */ (el).value) || holds(attr(el, "placeholder"));
  if (tag === "select") return queryAll(el, "option, optgroup").some((one) => holds(textContentOf(one)) || holds(attr(one, "label")));
  if (tag === "img" && holds(attr(el, "alt"))) return true;
  if (isPicture(tag) && pictureHolds(el, tag, texts)) return true;
  if (holds(attr(el, "data-placeholder")) || holds(attr(el, "aria-placeholder"))) return true;
  let own = "";
  for (let n = firstChildOf(el); n; n = nextSiblingOf(n)) if (nodeTypeOf(n) === 3) own += textContentOf(n);
  return holds(own);
}

/** Boxes of the letters of these texts, over as many elements and lines as they go. @param {Document | ShadowRoot} root @param {string[]} texts @returns {Iterable<Box>} */
function* lettersOf(root, texts) {
  const { all, starts, nodes } = lettersShown(root);
  for (const text of texts) {
    const wanted = folded(text);
    if (!isLongEnough(wanted)) continue;
    for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + 1)) {
      const end = at + wanted.length;
      let i = lastAtMost(starts, at);
      for (; i < nodes.length && starts[i] < end; i++) yield* boxesIn(nodes[i], Math.max(at - starts[i], 0), end - starts[i]);
    }
  }
}

/** The text that a tree shows, as it is compared, and where in it each text node begins. @param {Document | ShadowRoot} root */
function lettersShown(root) {
  const nodes = [];
  const starts = [];
  const parts = [];
  let length = 0;
  const walker = textWalker(root);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = parentNodeOf(node);
    if (!isElement(parent) || NO_LETTERS.test(tagOf(parent)) || !isShown(parent)) continue;
    const part = folded(textContentOf(node));
    if (!part) continue;
    nodes.push(/** @type {Text} */ (node));
    starts.push(length);
    parts.push(part);
    length += part.length;
  }
  return { all: parts.join(""), starts, nodes };
}

/** Index of the last of these rising numbers that is not above one. @param {number[]} numbers @param {number} most */
function lastAtMost(numbers, most) {
  let [low, high] = [0, numbers.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= most) low = middle;
    else high = middle;
  }
  return low;
}

/** Boxes of a text node's letters from one to before another, as they count when they are compared. @param {Text} node @param {number} from @param {number} to @returns {Iterable<Box>} */
function* boxesIn(node, from, to) {
  const text = textContentOf(node);
  let [start, end, count, at] = [text.length, text.length, 0, 0];
  for (const letter of text) {
    const length = folded(letter).length;
    if (length && count <= from) start = at;
    at += letter.length;
    count += length;
    if (length && count >= to) {
      end = at;
      break;
    }
  }
  const range = newRange();
  range.setStart(node, Math.min(start, end));
  range.setEnd(node, end);
  const owner = parentNodeOf(node);
  const boxes = range.getClientRects();
  if (!isElement(owner)) return;
  for (const box of boxes) yield grown(box, owner);
  // What the browser tells of letters along a path, or in a stretched text, is less than they take.
  if (isSvg(owner)) yield rectOf(owner);
}

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/**
 * A box of letters and as much around it as another font's letters, slanted ones, and their shadows may take: all of the line.
 * @param {Box} box @param {Element} owner @returns {Box}
 */
function grown(box, owner) {
  const style = styleOf(owner);
  const size = parseFloat(style.fontSize) || 16;
  const line = parseFloat(style.lineHeight) || 0;
  const shadow = Math.max(0, ...[...style.textShadow.matchAll(/(-?[\d.]+)px/g)].map((part) => Math.abs(Number(part[1])))) * 2;
  const across = size / 4 + shadow;
  const down = Math.max(size / 4, (line - box.height) / 2 + 1) + shadow;
  return { x: box.x - across, y: box.y - down, width: box.width + 2 * across, height: box.height + 2 * down };
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
 * Boxes of password fields, of what shows one of these texts, and of the letters of one.
 * @param {string[]} texts @param {boolean} passwords @returns {number[][]} left, top, width, height each
 */
export function concealed(texts, passwords) {
  /** @type {number[][]} */
  const out = [];
  const add = (/** @type {Box} */ { x, y, width, height }) => width > 0 && height > 0 && out.push([x, y, width, height]);
  /** @type {(Document | ShadowRoot)[]} */
  const roots = [document];
  for (const el of everyElement(document)) {
    const root = texts.length ? shadowOf(el) : null;
    if (root) roots.push(root);
    if ((passwords && isSecret(el)) || (texts.length && showsAny(el, texts))) add(rectOf(el));
    if (texts.length) generatedHolds(el, texts).forEach(add);
  }
  if (texts.length) for (const root of roots) for (const box of lettersOf(root, texts)) add(box);
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
