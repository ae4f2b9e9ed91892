// The card of a call: what will be done, in words and by boxes in the page, and the person's decision.

import { isNamed, pretty, readExactly, shownValue } from "./exact.js";
import { actionWords, toolWords } from "./words.js";
import { filled, h, quoted, sentence, t } from "./text.js";
import { toldWords } from "./told.js";
import { BadArguments, checkCall, isBrowserTool } from "../shared/tools.js";
import type { Call, Preview, ToolName } from "../shared/protocol.js";

export type Decision = { kind: "approve"; grants: boolean } | { kind: "reject" } | { kind: "edit"; args: string } | { kind: "retry" };

/** What a card shows. */
export type Face =
  | { kind: "preview"; call: Call; preview: Preview }
  | { kind: "server"; tool: string; canEdit: boolean }
  | { kind: "bad"; tool: ToolName; why: string }
  | { kind: "unreachable"; tool: ToolName; why: string };

/** So soon after it came up a card isn't approved: what is typed or clicked then was meant for something else, ms. */
const TOO_SOON = 400;

/** A card, and what the person decides. */
export interface Card {
  element: HTMLElement;
  decision: Promise<Decision>;
}

let cards = 0;

export function makeCard(face: Face, args: string, reveal: (at: number) => void): Card {
  const title = h("h2", { id: `card-${++cards}` }, t(face.kind === "server" ? "card_server" : "card_page"));
  const element = h("section", { class: "card", role: "group", "aria-labelledby": title.id }, title, ...bodyOf(face, args, reveal), details(args));
  const since = performance.now();
  const decision = new Promise<Decision>((decide) => {
    const button = (key: string, kind: "primary" | "plain", act: () => void) => {
      const one = h("button", { type: "button", class: kind, "data-act": key }, t(key));
      one.addEventListener("click", (event) => {
        // A person's own press, and none that was under way as the card came up.
        if (event.isTrusted && performance.now() - since >= TOO_SOON) act();
      });
      return one;
    };
    const buttons = h("div", { class: "buttons" });
    const problem = problemOf(face);
    const canApprove = face.kind === "server" || (face.kind === "preview" && problem === null);
    if (canApprove) buttons.append(button("approve", "primary", () => decide({ kind: "approve", grants: false })));
    if (face.kind === "server" && face.canEdit) buttons.append(button("grant", "plain", () => decide({ kind: "approve", grants: true })));
    // The page may come to what was meant.
    if (face.kind === "unreachable" || problem !== null) buttons.append(button("retry", "primary", () => decide({ kind: "retry" })));
    // A server that tells no more than ids would do what it proposed, whatever was made of it here.
    if (face.kind === "preview" || face.kind === "bad" || (face.kind === "server" && face.canEdit)) {
      const tool = face.kind === "preview" ? face.call.tool : face.tool;
      buttons.append(button("edit", "plain", () => edit(element, buttons, tool, args, (text) => decide({ kind: "edit", args: text }))));
    }
    buttons.append(button("reject", "plain", () => decide({ kind: "reject" })));
    element.append(buttons);
  });
  return { element, decision };
}

/** Why what a card shows can't be done as it is: an action's element isn't found, say. */
export const problemOf = (face: Face): string | null => (face.kind === "preview" ? (face.preview.shown.find(({ problem }) => problem !== null)?.problem ?? null) : null);

function bodyOf(face: Face, args: string, reveal: (at: number) => void): Node[] {
  switch (face.kind) {
    case "server":
      return [h("p", {}, ...sentence("server_tool", face.tool)), ...given(args)];
    case "bad":
      return [h("p", {}, ...sentence("bad_arguments", face.tool)), h("p", { class: "problem" }, quoted(face.why))];
    case "unreachable":
      return [h("p", { class: "problem" }, face.why)];
    case "preview": {
      const { call, preview } = face;
      const where = h("p", { class: "where" }, ...sentence("on_page", preview.title || preview.url, originOf(preview.url)));
      if (call.tool !== "page_action") return [where, h("p", {}, ...toolWords(call))];
      const list = h("ol", { class: "actions" });
      preview.shown.forEach((shown, at) => {
        const li = h("li", {}, ...actionWords(shown));
        if (shown.problem) li.append(h("div", { class: "problem" }, ...toldWords(shown.problem)));
        else if (shown.kind !== "selection" && shown.kind !== "page") {
          const show = h("button", { type: "button", class: "show", "aria-label": t("show_element", String(at + 1)) }, t("show"));
          show.addEventListener("click", () => reveal(at));
          li.append(" ", show);
        }
        list.append(li);
      });
      return [where, list];
    }
  }
}

/** What a tool of the server is given, in the open: it is all that says what the tool will do. */
export function given(args: string): HTMLElement[] {
  const whole = () => [h("pre", { class: "arguments", tabindex: "0", "aria-label": t("arguments") }, quoted(pretty(args)))];
  try {
    const value = readExactly(args);
    if (!isNamed(value)) return whole();
    const members = Object.entries(value).flatMap(([name, one]) => [h("dt", {}, quoted(name)), member(shownValue(one))]);
    return members.length ? [filled("dl", { class: "arguments" }, members)] : [];
  } catch {
    return whole();
  }
}

/** A longer one is scrolled in its place, by the keyboard, too. */
const SHORT = /^.{0,120}$/su;

const member = (text: string): HTMLElement => h("dd", SHORT.test(text) && text.split("\n").length <= 4 ? {} : { tabindex: "0" }, quoted(text));

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).host || url : url).slice(0, 200);

/** The call to the letter. */
function details(args: string): HTMLElement {
  return h("details", {}, h("summary", {}, t("details")), h("pre", {}, quoted(pretty(args))));
}

/** Why a text is no arguments of a tool; null where it is. */
export function whyNot(tool: string, args: string): string | null {
  try {
    const of: unknown = JSON.parse(args);
    if (isBrowserTool(tool)) checkCall(tool, of);
    else if (typeof of !== "object" || of === null || Array.isArray(of)) return `${tool}: object`;
    return null;
  } catch (error) {
    return error instanceof BadArguments ? error.message : `JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Puts a field for the arguments in place of the buttons. */
function edit(card: HTMLElement, buttons: HTMLElement, tool: string, args: string, save: (args: string) => void): void {
  const problem = h("p", { class: "problem", role: "alert", id: `${card.getAttribute("aria-labelledby")}-problem` });
  const field = h("textarea", { rows: "10", spellcheck: "false", "aria-label": t("arguments"), "aria-describedby": problem.id });
  field.value = pretty(args);
  const keep = h("button", { type: "button", class: "primary", "data-act": "save" }, t("save_edit"));
  const drop = h("button", { type: "button", class: "plain", "data-act": "cancel" }, t("cancel"));
  const editor = h("div", { class: "editor" }, field, problem, h("div", { class: "buttons" }, keep, drop));
  keep.addEventListener("click", (event) => {
    if (!event.isTrusted) return;
    const why = whyNot(tool, field.value);
    field.setAttribute("aria-invalid", String(why !== null));
    problem.textContent = why ?? "";
    if (why === null) save(field.value);
  });
  const leave = () => {
    editor.remove();
    buttons.hidden = false;
    buttons.querySelector<HTMLElement>("[data-act=edit]")?.focus();
  };
  drop.addEventListener("click", leave);
  editor.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    // It leaves the editor, and stops nothing.
    event.stopPropagation();
    leave();
  });
  buttons.hidden = true;
  card.append(editor);
  field.setSelectionRange(0, 0);
  field.focus();
  editor.scrollIntoView({ block: "nearest" });
}
