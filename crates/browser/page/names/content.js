// Name from content: the text inside an element as it is laid out, pseudo-elements included.

import { attr, byId, firstChildOf, firstElementOf, has, isSvg, nextSiblingOf, nodeTypeOf, specialChildren, styleOf, tagOf, textContentOf, encloses, isHtml } from "../dom/dom.js";
import { sheetsIn, styleIn } from "../dom/look.js";
import { comesByPointing } from "../dom/user-action.js";
import { GONE, presenceOf, UNSEEN } from "../dom/visible.js";

const SILENT = new Set(["rt", "rp", "script", "style", "template", "noscript", "head", "meta", "link", "title", "desc", "metadata", "defs", "symbol", "clipPath", "mask"]);
const ATTRIBUTE_NAMED = new Set(["img", "svg", "input", "select", "textarea", "button", "iframe", "object", "canvas", "video", "audio", "meter", "progress"]);

/** How deep elements are read one by one. */
const DEEPEST = 256;

const APART_ROLES = new Set(["button", "checkbox", "radio", "switch", "textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "scrollbar", "progressbar", "meter"]);

/**
 * The text inside an element. White space is not yet folded: blocks are set off by spaces.
 * @param {Element} el @param {import("./names.js").Trace} trace @param {number} presence of el @returns {string}
 */
export function contentText(el, trace, presence) {
  // Nested deeper than calls can be: what stands there is read as it is, so that a change of it still shows.
  if ((trace.depth ?? 0) > DEEPEST) return textContentOf(el);
  trace.depth = (trace.depth ?? 0) + 1;
  const text = textInside(el, trace, presence);
  trace.depth -= 1;
  return text;
}

/** @param {Element} el @param {import("./names.js").Trace} trace @param {number} presence */
function textInside(el, trace, presence) {
  const facts = sheetsIn(trace.look, el);
  const tag = tagOf(el);
  const pseudo = (facts.pseudo && tag !== "input") || tag === "q";
  const special = specialChildren(el, tag);
  const mute = !trace.hiddenOk && (presence === UNSEEN || isClosed(el, tag));
  if (!special && !pseudo && !facts.transform && !firstElementOf(el) && !has(el, "aria-owns")) return mute ? "" : textContentOf(el);
  if (pseudo) trace.mixed ||= isCounted(el);
  let out = pseudo ? generatedText(trace.look, el, "::before") : "";
  if (special) for (const child of special) out += childText(el, child, mute, facts, trace);
  else for (let child = firstChildOf(el); child; child = nextSiblingOf(child)) out += childText(el, child, mute, facts, trace);
  if (has(el, "aria-owns")) out += ownedText(el, trace);
  return pseudo ? out + generatedText(trace.look, el, "::after") : out;
}

/** Whether it is a details element that shows its summary only. @param {Element} el @param {string} tag */
const isClosed = (el, tag) => tag === "details" && isHtml(el, "details") && !el.open;

/** @param {Element} el @param {Node} child @param {boolean} mute @param {import("../dom/sheets.js").SheetFacts} facts @param {import("./names.js").Trace} trace */
function childText(el, child, mute, facts, trace) {
  const type = nodeTypeOf(child);
  if (type === 3) return mute ? "" : shownText(el, /** @type {Text} */ (child).data, facts, trace);
  if (type !== 1) return "";
  const inner = /** @type {Element} */ (child);
  const tag = tagOf(inner);
  if (SILENT.has(tag)) return "";
  if (tag === "br") return "\n";
  if (tag === "wbr") return "\u200b";
  const text = trace.part(inner, trace);
  if (!text) return isBlockBox(inner, tag, trace) ? " " : "";
  return isApart(inner, tag, text, trace) ? ` ${text} ` : text;
}

/** Whether layout or the source of its name sets an element apart from the text beside it. @param {Element} el @param {string} tag @param {string} text @param {import("./names.js").Trace} trace */
function isApart(el, tag, text, trace) {
  if (ATTRIBUTE_NAMED.has(tag) || has(el, "aria-label") || has(el, "aria-labelledby") || attr(el, "title") === text) return true;
  if (has(el, "contenteditable") || APART_ROLES.has(attr(el, "role") ?? "")) return true;
  if (isSvg(el)) return false;
  const style = styleIn(trace.look, el);
  return style.display !== "inline" || style.float !== "none" || style.position === "absolute" || style.position === "fixed";
}

/** Whether an element without text still parts the line. @param {Element} el @param {string} tag @param {import("./names.js").Trace} trace */
function isBlockBox(el, tag, trace) {
  if (isSvg(el)) return false;
  if (/^(input|select|textarea|button)$/.test(tag)) return presenceOf(el) !== GONE;
  return /^(block|flex|grid|table|list-item|flow-root)/.test(styleIn(trace.look, el).display) && presenceOf(el) !== GONE;
}

/** Text as the page shows it: text-transform applied, as Chrome's names have it. @param {Element} el @param {string} data @param {import("../dom/sheets.js").SheetFacts} facts @param {import("./names.js").Trace} trace */
function shownText(el, data, facts, trace) {
  return facts.transform ? transformed(data, styleIn(trace.look, el).textTransform) : data;
}

/** @param {string} text @param {string} rule a computed text-transform */
export function transformed(text, rule) {
  if (rule === "uppercase") return text.toUpperCase();
  if (rule === "lowercase") return text.toLowerCase();
  if (rule === "capitalize") return text.replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());
  return text;
}

/** What aria-owns adds after the element's own children. @param {Element} el @param {import("./names.js").Trace} trace */
function ownedText(el, trace) {
  let out = "";
  for (const id of (attr(el, "aria-owns") ?? "").trim().split(/\s+/)) {
    const owned = id && byId(el, id);
    if (owned && !encloses(owned, el)) out += ` ${trace.part(owned, trace)} `;
  }
  return out;
}

/** The text of a pseudo-element in a look. @param {import("../dom/look.js").Look} look @param {Element} el @param {"::before" | "::after"} which */
export function generatedText(look, el, which) {
  const text = pseudoText(el, which);
  return text && look.rest && comesByPointing(look, el, text, which) ? "" : text;
}

/** The text of a pseudo-element, or its alternative text. @param {Element} el @param {"::before" | "::after" | "::marker"} which @returns {string} */
export function pseudoText(el, which) {
  const style = styleOf(el, which);
  const content = style.content;
  if (!content || content === "none" || content === "normal") return "";
  if (style.display === "none" || style.visibility === "hidden") return "";
  const text = contentString(content, which);
  return /^(block|flex|grid|table|list-item)/.test(style.display) ? ` ${text} ` : text;
}

/** Whether a count stands in what is generated of an element: its value is the browser's alone. @param {Element} el */
const isCounted = (el) => /counters?\(/.test(styleOf(el, "::before").content + styleOf(el, "::after").content);

/** Pictures in a computed `content`, with the addresses in them. */
const PICTURES = /(?:url|(?:-webkit-)?image-set|element|cross-fade|[a-z-]*gradient)\((?:"(?:[^"\\]|\\.)*"|[^"()]|\((?:"(?:[^"\\]|\\.)*"|[^"()]|\([^()]*\))*\))*\)/g;

/** The text of a computed `content`: its strings, or what stands after the slash. @param {string} content @param {string} which */
export function contentString(content, which) {
  let text = "";
  let alternative = "";
  let slash = false;
  for (const [token, quoted] of content.replace(PICTURES, " ").matchAll(/"((?:[^"\\]|\\.)*)"|open-quote|close-quote|\/|[^"/]+/g)) {
    if (quoted !== undefined) {
      const plain = quoted.replace(/\\(.)/g, "$1");
      if (slash) alternative += plain;
      else text += plain;
    } else if (token === "/") slash = true;
    else if (token === "open-quote" || token === "close-quote") text += which === "::before" ? "“" : "”";
  }
  return slash ? alternative : text;
}
