// How the conversation is drawn.

import { given } from "./card.js";
import { pretty } from "./exact.js";
import { markdown } from "./markdown.js";
import { filled, h, quoted, t } from "./text.js";
import { shortly, toldWords } from "./told.js";
import type { ToolResult } from "../shared/protocol.js";
import { isBrowserTool } from "../shared/tools.js";
import type { CallItem, Item } from "./store.js";

/** What streams in is drawn so often, ms; a long answer more seldom, by so many characters each. */
const [DRAWN, SLOWER] = [60, 500];

export class View {
  private readonly elements = new Map<Item, HTMLElement>();
  private readonly late = new Set<Item>();

  constructor(
    private readonly log: HTMLElement,
    private readonly status: HTMLElement,
  ) {}

  clear(): void {
    this.elements.clear();
    this.late.clear();
    this.log.replaceChildren();
  }

  /** Draws an item, or draws it anew. */
  draw(item: Item): void {
    const before = this.elements.get(item);
    const element = drawn(item);
    this.elements.set(item, element);
    const stay = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight > 80;
    this.place(element, before);
    if (!stay) this.toEnd();
  }

  /** The same, a moment later, with all that came by then. */
  drawSoon(item: Item): void {
    if (this.late.has(item)) return;
    this.late.add(item);
    setTimeout(() => {
      // One that was removed meanwhile isn't put back.
      if (this.late.delete(item)) this.draw(item);
    }, DRAWN + ("text" in item ? item.text.length : 0) / SLOWER);
  }

  /** Puts a card in the place of its call. */
  put(item: CallItem, card: HTMLElement): void {
    this.place(card, this.elements.get(item));
    this.elements.set(item, card);
    // It is read from its beginning.
    if (card.offsetHeight < this.log.clientHeight) this.toEnd();
    else card.scrollIntoView({ block: "start" });
  }

  remove(item: Item): void {
    this.elements.get(item)?.remove();
    this.elements.delete(item);
    this.late.delete(item);
  }

  /** A button on a notice, to ask once more. */
  offer(item: Item, act: () => void): void {
    const again = h("button", { type: "button", class: "plain", "data-act": "resend" }, t("resend"));
    again.addEventListener("click", () => {
      again.remove();
      act();
    });
    this.elements.get(item)?.append(" ", again);
    this.toEnd();
  }

  /** What goes on, told to whoever doesn't see it, too. */
  say(text: string): void {
    this.status.textContent = text;
  }

  /** Puts an element in the place of another. Who was in that one by the keyboard is in its place afterwards. */
  private place(element: HTMLElement, before: HTMLElement | undefined): void {
    const hadFocus = before?.contains(document.activeElement) ?? false;
    if (before) before.replaceWith(element);
    else this.log.append(element);
    if (!hadFocus) return;
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
  }

  private toEnd(): void {
    this.log.scrollTop = this.log.scrollHeight;
  }
}

function drawn(item: Item): HTMLElement {
  switch (item.kind) {
    case "user":
      return h("div", { class: "message user", dir: "auto" }, h("span", { class: "sr" }, t("you")), h("p", {}, item.text));
    case "assistant":
      return filled("div", { class: "message assistant", dir: "auto" }, [h("span", { class: "sr" }, t("assistant")), ...markdown(item.text)]);
    case "notice":
      return h("div", { class: "message notice", role: "alert" }, item.text);
    case "call":
      return callDone(item);
  }
}

/** What a tool came to that is no batch. */
function cameTo({ error, message, text, elements }: ToolResult): Node[] {
  const said = error ?? message;
  if (said !== undefined) return toldWords(said);
  return [quoted(text !== undefined ? shortly(text) : elements ? t("elements_found", String(elements.length)) : "")];
}

/** A call that was decided. */
function callDone(item: CallItem): HTMLElement {
  const { state, result, tool } = item;
  const title = h("p", { class: "outcome" }, t(`state_${state}`), " ", isBrowserTool(tool) ? t(`tool_${tool}`) : h("code", {}, quoted(tool)));
  const card = h("section", { class: `card done ${state}`, role: "group", "aria-label": `${t(`state_${state}`)} ${tool}` }, title);
  card.dataset.state = state;
  // Nobody was asked about it.
  if (state === "allowed") card.append(...given(item.args));
  for (const one of result?.results ?? []) card.append(h("p", { class: one.success ? "ok" : "problem" }, one.success ? "✓ " : "✗ ", ...toldWords(one.message)));
  if (result && !result.results?.length) card.append(h("p", { class: result.success ? "ok" : "problem" }, ...cameTo(result)));
  card.append(h("details", {}, h("summary", {}, t("details")), h("pre", {}, quoted(pretty(item.args))), ...(result ? [h("pre", {}, quoted(JSON.stringify(result, null, 2)))] : [])));
  return card;
}
