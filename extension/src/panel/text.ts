// The panel's own words, in the browser's language, and texts of others as they may be shown.

export const t = (key: string, ...parts: string[]): string => chrome.i18n.getMessage(key, parts) || key;

/** What nobody sees, or what turns the order of letters around, written out. */
export const visible = (text: string): string =>
  text.replace(/[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);

/** Fills in the words of the markup: `data-t` is an element's text, `data-t-NAME` an attribute's. */
export function translate(root: ParentNode): void {
  for (const el of root.querySelectorAll<HTMLElement>("*")) {
    for (const { name, value } of [...el.attributes]) {
      if (name === "data-t") el.textContent = t(value);
      else if (name.startsWith("data-t-")) el.setAttribute(name.slice("data-t-".length), t(value));
    }
  }
}

type Child = Node | string;

/** An element with attributes and children; texts are texts. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
  el.append(...children);
  return el;
}

/** The same with however many children: a call takes only so many arguments. */
export function filled<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string>, children: Child[]): HTMLElementTagNameMap[K] {
  const el = h(tag, attributes);
  for (const child of children) el.append(child);
  return el;
}

/** A text of others inside one of ours: kept to itself, whatever its direction. */
export const quoted = (text: string): HTMLElement => h("bdi", { class: "foreign" }, visible(text));

/** One of our sentences with texts of others in it, or words of ours: `$1` stands for the first. */
export function sentence(key: string, ...parts: (string | Node[])[]): Node[] {
  const marks = parts.map((_, i) => `\u0001${i}\u0001`);
  return t(key, ...marks)
    .split(/(\u0001\d+\u0001)/)
    .filter((text) => text !== "")
    .flatMap((text) => {
      const at = /^\u0001(\d+)\u0001$/.exec(text)?.[1];
      if (at === undefined) return [document.createTextNode(text)];
      const part = parts[Number(at)] ?? "";
      return typeof part === "string" ? [quoted(part)] : part;
    });
}
