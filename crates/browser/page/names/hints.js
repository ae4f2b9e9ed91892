// A short word for what has no text, from class names, icon files and ids, so that one icon can
// be told from another. It is a hint for the reader, never a name.

import { attr, classOf, isElement, queryAll, tagOf, firstElementOf, nextElementOf, parentElementOf } from "../dom/dom.js";

const ICON_PREFIX = /^(?:fa|fas|far|bi|icon|icons|ico|glyphicon|ui-icon|mdi|ti|la|las|ri|lucide|octicon|codicon|feather|tabler-icon|iconoir|pi|ph|el-icon|anticon|typcn|ion|ion-ios|ion-md|dashicons|cil|i)-+([a-z].*)$/i;
const ICON_TRIMMING = /^(lg|sm|xs|xl|fw|li|ul|spin|pulse|border|stack.*|rotate.*|flip.*|inverse|\d*x|solid|regular|fill|light|duotone|wrapper|container|inner|btn|button|only|left|right-icon)$/i;
const ACTIONS = /(?:^|[-_])(close|dismiss|trash|delete|remove|clear|edit|pencil|star|favou?rite|heart|like|reply|forward|retweet|share|send|search|menu|hamburger|more|next|prev(?:ious)?|back|up|down|left|right|first|last|play|pause|stop|mute|volume|zoom\w*|add|plus|minus|expand(?:able)?|collaps(?:e|ed|able)|toggle\w*|caret|chevron|arrow|check(?:mark)?|folder|file|home|user|settings|gear|cog|print|save|download|upload|refresh|reload|copy|paste|cut|undo|redo|bold|italic|underlined?|handle|slider|resize\w*|open(?:ed)?|drag|sort|filter|calendar|mail|phone|lock|info|help|bell|cart|login|logout|hitarea|swatch|colou?r)(?=$|[-_\d])/i;
const LAYOUT = /^(?:[a-z]{1,2}|(?:[mpwhd]|[mp][tblrxyse]|col|row|flex|grid|text|bg|border|rounded|position|justify|align|d|gap|btn|nav|ui|ng|css|sc|jsx?|is|has|no|js|x|y)-.*|btn|button|link|icon|icons|img|image|item|active|container|wrapper|inner|content|clearfix|fa[bsrl]?|.*\d{3,}.*|.*__.*[A-Z].*)$/i;

/** The file name of an address without its ending. @param {string | null} address */
export function fileWord(address) {
  if (!address || address.startsWith("data:")) return "";
  const last = address.split(/[?#]/)[0].split("/").pop() ?? "";
  const word = decode(last).replace(/\.[a-z0-9]{2,5}$/i, "");
  return /[a-z\u0080-\uffff]/i.test(word) ? word : "";
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The icon a class list names, or "". @param {string} list */
function iconWord(list) {
  for (const token of list.split(/\s+/)) {
    const found = ICON_PREFIX.exec(token)?.[1];
    if (found && !ICON_TRIMMING.test(found)) return found.toLowerCase();
  }
  return "";
}

/** @param {Element} el @returns {string} */
function graphicWord(el) {
  const tag = tagOf(el);
  if (tag === "use") return (attr(el, "href") ?? attr(el, "xlink:href") ?? "").split("#").pop()?.replace(/^(icon|svg|i)[-_]/i, "") ?? "";
  if (tag === "img" || tag === "image") return attr(el, "alt")?.trim() || fileWord(attr(el, "src") ?? attr(el, "href"));
  return attr(el, "data-icon") ?? attr(el, "data-lucide") ?? (tag.includes("-") ? (attr(el, "name") ?? attr(el, "icon")) : null) ?? iconWord(classOf(el));
}

/** A word an element's class or id says about what it does, or "". @param {Element} el @param {boolean} any whether any telling word will do */
function classWord(el, any) {
  const tokens = [...classOf(el).split(/\s+/), attr(el, "id") ?? ""].filter(Boolean);
  for (const token of tokens) {
    const found = ACTIONS.exec(token);
    if (found) return (token.length <= 24 ? token.replace(/^ui-/, "") : found[1]).toLowerCase();
  }
  return any ? (tokens.find((token) => token.length > 2 && token.length <= 30 && !LAYOUT.test(token)) ?? "") : "";
}

/** Longest hint that is told; how much of it is shown is for the reader to say. */
const HINT_LENGTH = 2000;

/** A hint on one line, without what can't be seen. @param {string} word */
const tidyHint = (word) => (/^[\w-]*$/.test(word) ? word : word.replace(/[\p{Cc}\p{Cf}\p{Z}()"]+/gu, " ").trim()).slice(0, HINT_LENGTH);

/** A word for an element without text; "" when nothing tells. @param {Element} el @returns {string} */
export const hintOf = (el) => tidyHint(hintWord(el));

/** @param {Element} el @returns {string} */
function hintWord(el) {
  const own = graphicWord(el);
  if (own) return own;
  let n = 0;
  for (const inner of queryAll(el, "use, img, image, i, span, svg, [data-icon], ion-icon, iconify-icon")) {
    const word = graphicWord(inner);
    if (word) return word;
    if (++n > 12) break;
  }
  return classWord(el, false) || innerWord(el) || classWord(el, true);
}

/** @param {Element} el */
function innerWord(el) {
  for (let c = firstElementOf(el), n = 0; c && n < 4; c = nextElementOf(c), n++) {
    const word = isElement(c) && classWord(c, false);
    if (word) return word;
  }
  return "";
}

/** A word on the kind or state of a named thing without a role (a tree's folder, an open section), or "". @param {Element} el */
export function kindHint(el) {
  const parent = parentElementOf(el);
  const own = classOf(el);
  const list = parent && tagOf(parent) === "li" ? `${own} ${classOf(parent)}` : own;
  if (list.length < 2) return "";
  return /(?:^|[\s_-])(folder|file|leaf|expandable|collapsable|collapsed|expanded|hitarea|closed|selected|active|current|disabled|checked|completed)(?=$|[\s_-])/i.exec(list)?.[1].toLowerCase() ?? "";
}
