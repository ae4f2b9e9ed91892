// Markdown as models write it, as elements: every text is set as text, and nothing of it is ever read as markup. Links are for
// http and https alone; pictures are not loaded.

import { filled, h } from "./text.js";

/** Emphasis in emphasis is read so deep. */
const DEEPEST = 6;
/** Marks around code are so long at most. */
const TICKS_MAX = 20;
/** What something that stands out may begin with. */
const BEGINS = /[`*_~![h]/g;
/** An address that stands alone: what Chinese sentences go on with ends it, as a space does. */
const BARE = /https?:\/\/[^\s<>()\]，。；：！？、（）《》「」“”…]+[^\s<>()\].,;:!?'"，。；：！？、（）《》「」“”…]/y;

/** Finds what comes next in a text. It is asked for places further and further on, and goes through the text once. */
class Next {
  private at = -1;

  constructor(private readonly find: (from: number) => number) {}

  /** Its place; the end of all texts where it comes no more. */
  from(place: number): number {
    if (this.at < place) {
      const found = this.find(place);
      this.at = found < 0 ? Number.POSITIVE_INFINITY : found;
    }
    return this.at;
  }
}

/** What stands out, and where it ends; or up to where nothing does. */
type Found = { end: number; node: Node | null };

/** What stands out in a text. */
class Spans {
  private readonly ends = new Map<string, Next>();
  private readonly labelEnd: Next;
  private readonly addressEnd: Next;

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {
    const matching = (what: RegExp) =>
      new Next((from) => {
        what.lastIndex = from;
        return what.exec(text)?.index ?? -1;
      });
    this.labelEnd = matching(/[\]\n]/g);
    this.addressEnd = matching(/[)\s]/g);
  }

  /** What begins at a place. */
  at(place: number): Found {
    const { text } = this;
    switch (text[place]) {
      case "`":
        return this.code(place);
      case "*":
        return text[place + 1] === "*" ? this.pair(place, "**", "strong") : this.emphasis(place, "*");
      case "_":
        return text[place + 1] === "_" ? this.pair(place, "__", "strong") : this.emphasis(place, "_");
      case "~":
        return text[place + 1] === "~" ? this.pair(place, "~~", "del") : nothing(place);
      case "h":
        return this.bare(place);
      default:
        return this.link(place);
    }
  }

  /** The next place of a mark, for those that end with it. */
  private end(mark: string, from: number): number {
    let next = this.ends.get(mark);
    if (!next) this.ends.set(mark, (next = new Next((at) => this.text.indexOf(mark, at))));
    return next.from(from);
  }

  private code(place: number): Found {
    let open = place;
    while (this.text[open] === "`") open++;
    const length = open - place;
    const close = length > TICKS_MAX ? Number.POSITIVE_INFINITY : this.end("`".repeat(length), open);
    if (close > this.text.length) return { end: open, node: null };
    return { end: close + length, node: h("code", {}, this.text.slice(open, close)) };
  }

  private pair(place: number, mark: string, tag: "strong" | "del"): Found {
    const close = this.end(mark, place + mark.length + 1);
    if (close > this.text.length) return nothing(place);
    return { end: close + mark.length, node: filled(tag, {}, inline(this.text.slice(place + mark.length, close), this.depth + 1)) };
  }

  private emphasis(place: number, mark: string): Found {
    const { text } = this;
    const isWord = (at: number) => /\w/.test(text[at] ?? "");
    if (/\s/.test(text[place + 1] ?? " ") || (mark === "_" && isWord(place - 1))) return nothing(place);
    const close = this.end(mark, place + 2);
    if (close > text.length || (mark === "_" && isWord(close + 1))) return nothing(place);
    return { end: close + 1, node: filled("em", {}, inline(text.slice(place + 1, close), this.depth + 1)) };
  }

  private link(place: number): Found {
    const { text } = this;
    const open = text[place] === "!" ? place + 1 : place;
    if (text[open] !== "[") return nothing(place);
    const label = this.labelEnd.from(open + 1);
    if (text[label] !== "]" || text[label + 1] !== "(") return nothing(place);
    const close = this.addressEnd.from(label + 2);
    if (text[close] !== ")" || close === label + 2) return nothing(place);
    const [address, words] = [text.slice(label + 2, close), text.slice(open + 1, label)];
    return { end: close + 1, node: link(address, words || address) };
  }

  private bare(place: number): Found {
    BARE.lastIndex = place;
    const address = BARE.exec(this.text)?.[0];
    return address ? { end: place + address.length, node: link(address, address) } : nothing(place);
  }
}

const nothing = (place: number): Found => ({ end: place + 1, node: null });

/** A text with what stands out in it. */
function inline(text: string, depth = 0): Node[] {
  if (depth >= DEEPEST) return text ? [document.createTextNode(text)] : [];
  const nodes: Node[] = [];
  const spans = new Spans(text, depth);
  const begin = new Next((from) => {
    BEGINS.lastIndex = from;
    return BEGINS.exec(text)?.index ?? -1;
  });
  let plain = 0;
  for (let at = begin.from(0); at < text.length; ) {
    const { end, node } = spans.at(at);
    if (node) {
      if (at > plain) nodes.push(document.createTextNode(text.slice(plain, at)));
      nodes.push(node);
      plain = end;
    }
    at = begin.from(end);
  }
  if (plain < text.length) nodes.push(document.createTextNode(text.slice(plain)));
  return nodes;
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
    const heading = /^#{1,6}(?=\s)/.exec(line)?.[0];
    if (fence) {
      let until = at + 1;
      while (until < lines.length && !lines[until]?.trim().startsWith(fence)) until++;
      blocks.push(h("pre", {}, h("code", {}, lines.slice(at + 1, until).join("\n"))));
      at = until + 1;
    } else if (heading) {
      blocks.push(filled("p", { class: "heading", role: "heading", "aria-level": String(Math.min(6, heading.length + 2)) }, inline(untilMarks(line.slice(heading.length)))));
      at++;
    } else if (item(line)) {
      const [list, next] = listAt(lines, at);
      blocks.push(list);
      at = next;
    } else if (/^\s{0,3}>/.test(line)) {
      const from = at;
      while (at < lines.length && /^\s{0,3}>/.test(lines[at] ?? "")) at++;
      blocks.push(filled("blockquote", {}, inline(lines.slice(from, at).map((one) => one.replace(/^\s{0,3}> ?/, "")).join("\n"))));
    } else if (!line.trim()) {
      at++;
    } else {
      const from = at;
      while (at < lines.length && (lines[at] ?? "").trim() && (at === from || !startsBlock(lines[at] ?? ""))) at++;
      blocks.push(filled("p", {}, inline(lines.slice(from, at).join("\n"))));
    }
  }
  return blocks;
}

/** The words of a heading, without the marks that may end it. */
function untilMarks(line: string): string {
  const words = line.trim();
  let end = words.length;
  while (words[end - 1] === "#") end--;
  return words.slice(0, end).trimEnd();
}

const item = (line: string): RegExpExecArray | null => /^(\s*)([-*+]|\d{1,9}[.)])\s([^]*)$/.exec(line);
const startsBlock = (line: string): boolean => /^\s{0,3}(```|~~~|#{1,6}\s|>)/.test(line) || item(line) !== null;

/** A list, and the line behind it. */
function listAt(lines: string[], from: number): [Node, number] {
  const isNumbered = /\d/.test(item(lines[from] ?? "")?.[2] ?? "");
  const list = h(isNumbered ? "ol" : "ul", isNumbered ? { start: String(Number.parseInt(item(lines[from] ?? "")?.[2] ?? "1", 10)) } : {});
  let at = from;
  for (; at < lines.length; at++) {
    const found = item(lines[at] ?? "");
    if (!found) break;
    const li = filled("li", {}, inline((found[3] ?? "").trimStart()));
    if ((found[1] ?? "").length >= 2) li.className = "inner";
    list.append(li);
  }
  return [list, at];
}
