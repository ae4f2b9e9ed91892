// The page script: the very modules of crates/browser/page, which stand before this script and share its world.

/** What the page script tells of one element (`facts`). */
export interface Facts {
  n: number;
  role: string;
  name: string;
  text: string;
  value: string | null;
  placeholder: string | null;
  title: string | null;
  alt: string | null;
  said: { text: string; cut?: boolean } | null;
  hint: string | null;
  leads: Record<string, string>;
  tag: string;
  type: string | null;
  states: number;
  x: number;
  y: number;
  w: number;
  h: number;
  visible: boolean;
  enabled: boolean;
  behind: { role: string; name: string } | null;
  editable: boolean;
  checked: boolean | null;
  multiple: boolean;
  row: { text: string } | null;
  rowTexts: string[];
  options: { label: string; value: string; selected: boolean; disabled: boolean }[];
}

export interface HeldText {
  pieces: string[];
  gaps: string[];
  open?: boolean;
}

/** What a control's row is about, where that stands among the row's texts, and how many those are. */
export interface Row {
  text: string;
  place: [number, number];
}

/** What an element is held to. */
export interface Held {
  role: string;
  texts: [string, HeldText][];
  leads: Record<string, string>;
  own: null;
  choices: [string, string][];
  row: { text: HeldText; place: Row["place"] } | null;
}

export interface Spec {
  mode: "pointer" | "keyboard" | "hover";
  target: number;
  held: Held;
}

export interface Aimed extends Facts {
  point: [number, number] | null;
  cover: { role: string; name: string } | null;
  still: boolean;
}

interface PageScript {
  capture(want?: { detail?: boolean; text?: boolean; rows?: boolean }): string;
  facts(n: number): Facts | null;
  aim(n: number, how?: { scroll?: boolean }): Promise<Aimed | null>;
  hitAt(x: number, y: number): { n: number; role: string; name: string } | null;
  reaches(n: number, x: number, y: number): Element | null;
  search(what: { by: "css"; query: string }): number[];
  checked(spec: Spec, deed: string, ...args: unknown[]): { refused: string } | { done: { ok: boolean; reason?: string; holds?: boolean; value?: string } | null };
  checkedElement(spec: Spec): Element | string;
  holds(n: number, text: string): boolean;
  editKind(n: number): "text" | "contenteditable" | "set" | "file" | "select" | "none";
  focus(n: number): boolean;
  adoptRoot(host: number, root: ShadowRoot | null): boolean;
  rest(): Promise<boolean>;
  scrollBy(n: number | null, dx: number, dy: number): { moved: [number, number]; ended: boolean };
  scrollState(n: number | null): { x: number; y: number; width: number; height: number; pageWidth: number; pageHeight: number };
  textOf(n: number | null): string | null;
  number(el: Element): number;
  element(n: number): Element | null;
}

// The world's own property: an element of the page may have the name.
export const page = Object.getOwnPropertyDescriptor(globalThis, "handeye")?.value as PageScript;

/** Bits of `states`: crates/browser/page/names/states.js. */
export const STATE = { disabled: 1, checked: 2, mixed: 4, selected: 8, expanded: 16, focused: 512, covered: 1024, offscreen: 2048, hidden: 4096, pressed: 8192 } as const;

/** Text as it is compared: NFKC, case, one space for white space, nothing of no width. */
export const folded = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufe00-\ufe0f]/g, "")
    .replace(/[\s\u0085]+/g, " ")
    .trim()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC");

/** Waits so long, ms. */
export const elapse = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

// A page may name a form or a picture `title`, and then `document.title` is that: the document is asked by its class's own getters.
const getterOf = (of: object, name: string): ((this: Document) => unknown) => Object.getOwnPropertyDescriptor(of, name)?.get ?? (() => undefined);
const getTitle = getterOf(Document.prototype, "title");
const getActive = getterOf(Document.prototype, "activeElement");
const getRoot = getterOf(Document.prototype, "documentElement");
const getSheets = getterOf(Document.prototype, "adoptedStyleSheets");
const setSheets = Object.getOwnPropertyDescriptor(Document.prototype, "adoptedStyleSheets")?.set;
const { createElement } = Document.prototype;

export const titleNow = (): string => String(getTitle.call(document) ?? "");
export const activeNow = (): Element | null => getActive.call(document) as Element | null;
export const rootNow = (): Element => getRoot.call(document) as Element;
export const sheetsNow = (): CSSStyleSheet[] => [...(getSheets.call(document) as CSSStyleSheet[])];
export const adopt = (sheets: CSSStyleSheet[]): void => void setSheets?.call(document, sheets);
export const make = (tag: string): HTMLElement => createElement.call(document, tag);
