// The text that an element shows: what of it has a place to be seen at, whatever stands in the document.

import { flatChildrenOf, flatParentOf, isElement, newRange, nodeTypeOf, rectOf, styleOf, tagOf, textContentOf } from "../dom/dom.js";
import { LEAST_SIDE } from "../dom/place.js";
import { isReadable } from "./text.js";
import { tidyText } from "./spacing.js";
import { transformed } from "../names/content.js";
import { isTransparent, isVisible } from "../dom/visible.js";

/** So many texts are asked for their places. */
const MOST = 20000;
const UNREAD = /^(script|style|template|noscript|head|title|textarea|select|option)$/;

const measured = newRange();

/** @param {Element} el @returns {string} */
export function readableText(el) {
  /** @type {{text: string, block: Element | null}[]} */
  const found = [];
  collect(el, found, new Map());
  const lines = found.map(({ text, block }, i) => (i && found[i - 1].block !== block ? `\n${text}` : text)).join("").split("\n");
  return lines.map((line) => tidyText(line).trim()).filter(Boolean).join("\n");
}

/** @param {Element} el @param {{text: string, block: Element | null}[]} found @param {Map<Element, boolean>} open */
function collect(el, found, open) {
  if (UNREAD.test(tagOf(el))) return;
  if (tagOf(el) === "br") return void found.push({ text: "\n", block: blockOf(el) });
  for (const child of flatChildrenOf(el)) {
    if (found.length >= MOST) return;
    if (isElement(child)) collect(child, found, open);
    else if (nodeTypeOf(child) === Node.TEXT_NODE && (!isReadable(textContentOf(child)) || isSeen(/** @type {Text} */ (child), el, open))) found.push({ text: saidBy(/** @type {Text} */ (child), el), block: blockOf(el) });
  }
}

/** @param {Text} text @param {Element} owner */
function saidBy(text, owner) {
  const { textTransform, whiteSpaceCollapse } = styleOf(owner);
  const said = transformed(textContentOf(text), textTransform);
  return /preserve/.test(whiteSpaceCollapse) ? said : said.replace(/\s+/g, " ");
}

/** Whether a text has a place, in what isn't cut down to nothing. @param {Text} text @param {Element} owner @param {Map<Element, boolean>} open */
function isSeen(text, owner, open) {
  if (!isOpen(owner, open)) return false;
  const range = measured;
  range.selectNodeContents(text);
  return [...range.getClientRects()].some(({ width, height }) => width >= 1 && height >= 1);
}

/** @param {Element} owner @param {Map<Element, boolean>} open */
function isOpen(owner, open) {
  const known = open.get(owner);
  if (known !== undefined) return known;
  const boxed = boxedAround(owner);
  const is = isVisible(owner) && (!boxed || !isTransparent(boxed)) && !isCutAway(owner);
  open.set(owner, is);
  return is;
}

/** The nearest element that has a box. @param {Element} el */
function boxedAround(el) {
  let at = /** @type {Element | null} */ (el);
  while (at && styleOf(at).display === "contents") at = flatParentOf(at);
  return at;
}

/** Whether something around it shows nothing of what it holds. @param {Element} owner */
function isCutAway(owner) {
  for (let at = /** @type {Element | null} */ (owner); at; at = flatParentOf(at)) {
    const { overflowX, overflowY, display, clip } = styleOf(at);
    if (/^inline$|^contents$/.test(display)) continue;
    const { width, height } = rectOf(at);
    if ((overflowX !== "visible" && width < LEAST_SIDE) || (overflowY !== "visible" && height < LEAST_SIDE) || clip === "rect(0px, 0px, 0px, 0px)") return true;
  }
  return false;
}

/** What an element's text stands in as lines. @param {Element} el */
function blockOf(el) {
  let at = /** @type {Element | null} */ (el);
  while (at && /^(inline|contents)$/.test(styleOf(at).display)) at = flatParentOf(at);
  return at;
}
