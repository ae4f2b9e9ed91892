// What panel, background and content script say to each other.

export type ToolName = "page_action" | "request_more_elements" | "get_selected_text" | "clear_ai_styles";

/** An element as the model is told of it. */
export interface Line {
  id: string;
  desc: string;
}

/** An element of a page, and what it is held to: no model is told of that. */
export interface Told extends Line {
  print: string;
}

/** `current_page_info` of a request. */
export interface PageInfo {
  url: string;
  title: string;
  elements: Told[];
  selectedText: string;
  /** What tells the document from the next one at its address. */
  document: string;
}

export type ActionName = "fill" | "click" | "highlight" | "underline" | "select" | "check" | "scroll" | "read";

export interface Target {
  elementId?: string;
  selector?: string;
  description?: string;
}

export interface Action {
  action: ActionName;
  target: Target;
  params?: { value?: string; color?: string; direction?: Direction };
}

export type Direction = "up" | "down" | "top" | "bottom";
export type Region = "form" | "header" | "sidebar" | "footer" | "below_viewport";
export type ElementType = "input" | "button" | "link" | "select" | "all";

export interface MoreElements {
  region?: Region;
  elementType?: ElementType;
  keyword?: string;
}

/** A call of a tool whose arguments were checked. */
export type Call =
  | { tool: "page_action"; args: { actions: Action[] } }
  | { tool: "request_more_elements"; args: MoreElements }
  | { tool: "get_selected_text"; args: Record<string, never> }
  | { tool: "clear_ai_styles"; args: Record<string, never> };

/** What an action is about, as a person calls it. */
export type Kind = "field" | "list" | "file" | "checkbox" | "radio" | "switch" | "button" | "link" | "tab" | "item" | "image" | "element" | "selection" | "page";

/** What one action of a batch is about, as it is shown before approval. */
export interface Shown {
  action: ActionName;
  /** What the target is called in the page, or the selected text; null: the page itself. */
  target: string | null;
  kind: Kind;
  value: string | null;
  color: string | null;
  direction: Direction | null;
  /** Why it can't be done as it is. */
  problem: string | null;
}

/** What is to be approved: it can be run once, by its ticket, and only while the elements are what was shown. */
export interface Preview {
  ticket: string;
  url: string;
  title: string;
  shown: Shown[];
}

export interface ActionResult {
  success: boolean;
  message: string;
}

/** What a tool came to, as it is sent to the server. */
export interface ToolResult {
  success: boolean;
  error?: string;
  results?: ActionResult[];
  summary?: string;
  elements?: Line[];
  text?: string;
  message?: string;
  /** What was done instead, where the person changed it. */
  arguments?: unknown;
}

/** What one document of a page is told of by, with how useful each element is. */
export interface Ranked {
  info: PageInfo;
  scores: number[];
}

/** What a tool other than a batch came to. How many more elements there are, or styles were taken back, is put into words by the panel. */
export interface Used extends ToolResult {
  count?: number;
}

/** What came of a step of a batch. Stale: something on the card isn't what it was, so that nothing of the batch is done. */
export type Step = { stale: true } | { stale: false; result: ActionResult };

/** Longest that a page may take to answer, ms: one that shows a dialog of its own takes as long as the person. */
export const ANSWER_MAX = 60_000;

/** Calls of the page script that only read. */
export const PAGE_CALLS = ["capture", "facts", "scrollState"] as const;
export type PageCall = (typeof PAGE_CALLS)[number];

/** What a document can be asked for. */
export type PageRequest =
  | { ask: "seen" }
  | { ask: "info"; about: string }
  | { ask: "ranked"; about: string }
  | { ask: "preview"; call: Call; labels?: string[] }
  | { ask: "reveal"; ticket: string; at: number }
  | { ask: "drop"; ticket: string }
  | { ask: "check"; ticket: string }
  | { ask: "step"; ticket: string; at: number }
  | { ask: "use"; ticket: string }
  | { ask: "stop" }
  | { ask: "page"; name: PageCall; args: unknown[] };

/** The documents of a tab's page: its own, and those in frames that may be looked into. */
export interface Documents {
  main: string;
  frames: string[];
}

/** What the background is asked for. */
export type DoorRequest = { door: "enter"; tabId: number } | { door: "ask"; tabId: number; documentId: string; request: PageRequest };

/** Why a document wasn't reached. */
export type Refusal = "forbidden" | "no_access" | "no_page" | "gone" | "elsewhere" | "malformed";

export type Reply<T> = { ok: true; value: T } | { ok: false; refusal: Refusal };
