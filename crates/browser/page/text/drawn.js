// Texts that are no text of the page and are shown all the same: what style sheets generate, list markers, and pictures that are
// written in the page itself.

import { allSheetsOf, attr, byId, childrenOf, contentSizeOf, documentElementOf, isElement, isShown, offsetParentOf, parentNodeOf, rectOf, styleOf, tagOf, textContentOf } from "../dom/dom.js";
import { saysAny } from "./letters.js";
import { isRule } from "../dom/rules.js";

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** Attributes that name pictures. */
const SOURCES = ["src", "href", "xlink:href", "srcset", "poster", "data"];
const PICTURE_TAGS = new Set(["img", "image", "feImage", "use", "input", "source", "picture", "video", "object", "embed", "iframe"]);

/** @param {string} tag */
export const isPicture = (tag) => PICTURE_TAGS.has(tag);

/** Whether a picture that is written in the page shows one of these texts. @param {Element} el @param {string} tag @param {string[]} texts */
export function pictureHolds(el, tag, texts) {
  if (tag === "use") {
    const name = (attr(el, "href") ?? attr(el, "xlink:href") ?? "").split("#")[1];
    const used = name && byId(el, decoded(name));
    if (used && saysAny(textContentOf(used), texts)) return true;
  }
  if (tag === "source" || tag === "picture") return false;
  const above = parentNodeOf(el);
  const sources = isElement(above) && tagOf(above) === "picture" ? childrenOf(above) : [];
  return [el, ...sources].some((one) => SOURCES.some((name) => dataHolds(attr(one, name), texts)));
}

/** Whether `data:` addresses in a text are of pictures that show one of these. @param {string | null} text @param {string[]} texts */
function dataHolds(text, texts) {
  if (!text || !/data:/i.test(text)) return false;
  return text.split(/(?=data:)/i).some((part) => {
    const found = /^data:([^,]*),([^]*)$/i.exec(part);
    if (!found) return false;
    const written = /;\s*base64/i.test(found[1]) ? fromBase64(found[2]) : decoded(found[2]);
    const body = written.replace(/\\(["'\\])/g, "$1");
    // Its letters may be apart, or written as entities.
    return saysAny(body, texts) || (/svg|xml|html/i.test(found[1]) && saysAny(textContentOf(documentElementOf(new DOMParser().parseFromString(body, "text/html")) ?? document), texts));
  });
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return unescape(text);
  }
}

/** @param {string} text */
function fromBase64(text) {
  try {
    const bytes = Uint8Array.from(atob(decoded(text).trim().split(/["')\s]/)[0].replace(/[^A-Za-z0-9+/]/g, "")), (c) => c.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return "";
  }
}

/** Places that style sheets put pictures in. */
const PAINTED = /** @type {const} */ (["backgroundImage", "borderImageSource", "listStyleImage", "maskImage", "content"]);

/** Boxes of an element of which something is shown that style sheets put there, and that says one of these texts. @param {Element} el @param {string[]} texts @returns {Box[]} */
export function generatedHolds(el, texts) {
  if (!isShown(el)) return [];
  const style = styleOf(el);
  const around = generated(el, "::before", texts);
  const after = generated(el, "::after", texts);
  const inside = around.text + after.text ? textContentOf(el).slice(0, 10000) : "";
  const joined = around.text + inside + after.text;
  const isSaid = around.painted || after.painted || (joined !== inside && saysAny(joined, texts) && !(saysAny(inside, texts) && !saysAny(around.text, texts) && !saysAny(after.text, texts)));
  const out = [];
  if (isSaid || painted(style, texts)) out.push(...boxesOf(el, around, after));
  if (style.display.includes("list-item") && markerHolds(el, style, texts)) out.push(lineOf(el, style));
  return out;
}

/** @typedef {{text: string, painted: boolean, style: CSSStyleDeclaration}} Generated */

/** What stands before or after an element's content. @param {Element} el @param {"::before" | "::after"} which @param {string[]} texts @returns {Generated} */
function generated(el, which, texts) {
  const style = styleOf(el, which);
  const { content } = style;
  if (!content || content === "none" || content === "normal") return { text: "", painted: false, style };
  return { text: written(content, el), painted: painted(style, texts), style };
}

/** @param {CSSStyleDeclaration} style @param {string[]} texts */
const painted = (style, texts) => PAINTED.some((name) => dataHolds(style[name], texts));

/** The text of a computed `content`. @param {string} content @param {Element} el */
function written(content, el) {
  let out = "";
  for (const [token, quoted, name, counter] of content.matchAll(/"((?:[^"\\]|\\.)*)"|attr\(\s*([\w-]+)[^)]*\)|counters?\(([^)]*)\)/g)) {
    if (quoted !== undefined) out += unescaped(quoted);
    else if (name) out += attr(el, name) ?? "";
    else if (counter) out += counterText(counter.split(",").pop()?.trim() ?? "");
    else out += token;
  }
  return out;
}

/** A string of CSS without its escapes. @param {string} text */
const unescaped = (text) => text.replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_, code, letter) => (code ? String.fromCodePoint(Math.min(parseInt(code, 16), 0x10ffff)) : letter));

/** What a list's marker says. @param {Element} el @param {CSSStyleDeclaration} style @param {string[]} texts */
function markerHolds(el, style, texts) {
  const marker = styleOf(el, "::marker").content;
  const own = marker && marker !== "normal" && marker !== "none" ? written(marker, el) : "";
  const type = style.listStyleType;
  const named = /^"/.test(type) ? written(type, el) : counterText(type);
  return saysAny(own, texts) || saysAny(named, texts);
}

/** All that a counter style of the page's may say. @param {string} name */
function counterText(name) {
  let out = "";
  for (const rule of allSheetsOf(document).flatMap(rulesOf)) {
    if (!isRule(rule, "CSSCounterStyleRule") || rule.name !== name) continue;
    for (const part of [rule.prefix, rule.symbols, rule.additiveSymbols, rule.negative, rule.pad, rule.suffix]) {
      out += [...part.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((found) => unescaped(found[1])).join("");
    }
  }
  return out;
}

/** @param {CSSStyleSheet} sheet @returns {CSSRule[]} */
function rulesOf(sheet) {
  try {
    return [...sheet.cssRules];
  } catch {
    return []; // of another origin
  }
}

/** Where an element and what is generated in it are shown: of what is placed freely only its frame is known. @param {Element} el @param {Generated[]} parts @returns {Box[]} */
function boxesOf(el, ...parts) {
  const box = rectOf(el);
  const size = contentSizeOf(el);
  const wide = { x: box.x, y: box.y, width: Math.max(box.width, size.width), height: Math.max(box.height, size.height) };
  const out = [grownBy(wide, (parseFloat(styleOf(el).fontSize) || 16) / 2)];
  for (const { text, painted, style } of parts) {
    if (!text && !painted) continue;
    if (style.position === "fixed") out.push({ x: 0, y: 0, width: innerWidth, height: innerHeight });
    else if (style.position === "absolute") out.push(placed(el, style));
  }
  return out;
}

/** Where what is placed absolutely may be: as far from the box that it is placed in as its style says. @param {Element} el @param {CSSStyleDeclaration} style @returns {Box} */
function placed(el, style) {
  const frame = rectOf((styleOf(el).position === "static" && offsetParentOf(el)) || el);
  const far = ["left", "top", "right", "bottom", "width", "height"].map((side) => Math.abs(parseFloat(style.getPropertyValue(side)) || 0));
  return grownBy(frame, Math.max(...far) + 20);
}

/** The whole line of a list's item, with room for its marker on either side. @param {Element} el @param {CSSStyleDeclaration} style @returns {Box} */
function lineOf(el, style) {
  const box = rectOf(el);
  return { x: box.x - innerWidth, y: box.y - 4, width: box.width + 2 * innerWidth, height: box.height + 8 + (parseFloat(style.fontSize) || 16) / 2 };
}

/** @param {Box} box @param {number} by @returns {Box} */
const grownBy = ({ x, y, width, height }, by) => ({ x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by });
