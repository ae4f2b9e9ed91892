// Markdown as models write it, as elements: every text is set as text, and nothing of it is ever read as markup. Links are for
// http and https alone; pictures are not loaded.

import { h } from "./text.js";

const INLINE = /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|\*([^\s*][^*]*?)\*|(?<!\w)_([^\s_][^_]*?)_(?!\w)|~~(.+?)~~|!?\[([^\]\n]*)\]\(([^)\s]+)\)|(https?:\/\/[^\s<>()\]]+[^\s<>()\].,;:!?'"，。；：！？])/s;
/** Emphasis in emphasis is read so deep. */
const DEEPEST = 6;

/** A text with what stands out in it. */
function inline(text: string, depth = 0): Node[] {
  const nodes: Node[] = [];
  let rest = text;
  for (;;) {
    const found = depth < DEEPEST ? INLINE.exec(rest) : null;
    if (!found) break;
    if (found.index) nodes.push(document.createTextNode(rest.slice(0, found.index)));
    nodes.push(spanOf(found, depth));
    rest = rest.slice(found.index + found[0].length);
  }
  if (rest) nodes.push(document.createTextNode(rest));
  return nodes;
}

function spanOf(found: RegExpExecArray, depth: number): Node {
  const [all, , code, strong, strong2, em, em2, gone, label, href, bare] = found;
  if (code !== undefined) return h("code", {}, code);
  if (strong ?? strong2) return h("strong", {}, ...inline((strong ?? strong2) as string, depth + 1));
  if (em ?? em2) return h("em", {}, ...inline((em ?? em2) as string, depth + 1));
  if (gone !== undefined) return h("del", {}, ...inline(gone, depth + 1));
  return link(href ?? bare ?? "", label || (href ?? bare ?? "")) ?? document.createTextNode(all);
}

function link(address: string, label: string): Node | null {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  const { href, host } = new URL(address);
  const a = h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow", title: href }, label);
  // Where a label doesn't say where it leads, that is said beside it.
  if (label.includes(host)) return a;
  return h("span", {}, a, h("small", { class: "host" }, ` (${host})`));
}

/** The blocks of a text. */
export function markdown(text: string): Node[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks: Node[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const fence = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1];
    const heading = /^(#{1,6})\s+(.*?)#*\s*$/.exec(line);
    if (fence) {
      const end = lines.findIndex((other, i) => i > at && other.trim().startsWith(fence));
      const until = end < 0 ? lines.length : end;
      blocks.push(h("pre", {}, h("code", {}, lines.slice(at + 1, until).join("\n"))));
      at = until + 1;
    } else if (heading) {
      blocks.push(h("p", { class: "heading", role: "heading", "aria-level": String(Math.min(6, (heading[1] ?? "#").length + 2)) }, ...inline(heading[2] ?? "")));
      at++;
    } else if (item(line)) {
      const [list, next] = listAt(lines, at);
      blocks.push(list);
      at = next;
    } else if (/^\s{0,3}>/.test(line)) {
      const from = at;
      while (at < lines.length && /^\s{0,3}>/.test(lines[at] ?? "")) at++;
      blocks.push(h("blockquote", {}, ...inline(lines.slice(from, at).map((one) => one.replace(/^\s{0,3}> ?/, "")).join("\n"))));
    } else if (!line.trim()) {
      at++;
    } else {
      const from = at;
      while (at < lines.length && (lines[at] ?? "").trim() && (at === from || !startsBlock(lines[at] ?? ""))) at++;
      blocks.push(h("p", {}, ...inline(lines.slice(from, at).join("\n"))));
    }
  }
  return blocks;
}

const item = (line: string): RegExpExecArray | null => /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line);
const startsBlock = (line: string): boolean => /^\s{0,3}(```|~~~|#{1,6}\s|>)/.test(line) || item(line) !== null;

/** A list, and the line behind it. */
function listAt(lines: string[], from: number): [Node, number] {
  const isNumbered = /\d/.test(item(lines[from] ?? "")?.[2] ?? "");
  const list = h(isNumbered ? "ol" : "ul", isNumbered ? { start: String(Number.parseInt(item(lines[from] ?? "")?.[2] ?? "1", 10)) } : {});
  let at = from;
  for (; at < lines.length; at++) {
    const found = item(lines[at] ?? "");
    if (!found) break;
    const li = h("li", {}, ...inline(found[3] ?? ""));
    if ((found[1] ?? "").length >= 2) li.className = "inner";
    list.append(li);
  }
  return [list, at];
}
