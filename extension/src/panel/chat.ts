// The conversation: what is sent, what comes back, and the cards between. What is left to do is read off the items, so that a
// panel that was closed goes on where it was.

import { makeCard, problemOf, whyNot, type Decision, type Face } from "./card.js";
import { currentPage, loadedPage, type PageChannel } from "./channel.js";
import { ask, cancel, NeverTaken, NoAnswer, ServerFailed, type Message } from "./client.js";
import { readExactly } from "./exact.js";
import { resultMessage } from "./fitted.js";
import { carryOut } from "./run.js";
import { loadSettings } from "../shared/settings.js";
import { newConversation, saveConversation, type CallItem, type CallState, type Conversation, type Item } from "./store.js";
import { t } from "./text.js";
import type { View } from "./view.js";
import type { Call, PageInfo, Preview, Refusal, ToolName, ToolResult } from "../shared/protocol.js";
import { checkCall, isBrowserTool } from "../shared/tools.js";
import { CANCELLED, LOST, placeOf } from "../shared/wire.js";

/** So often the server may come back with calls after one message of the person. */
const ROUNDS_MAX = 100;
/** So many calls of one answer are put on cards. */
const CALLS_MAX = 20;
/** Longest answer that is shown and kept, characters. */
const ANSWER_MAX = 200_000;

type Outcome = { state: CallState; result: ToolResult | null; answer: CallItem["answer"] };

export class Chat {
  private stopping: AbortController | null = null;
  private channel: PageChannel | null = null;
  /** The word to the server that an answer isn't waited for; the next message comes after it. */
  private cancelling: Promise<void> = Promise.resolve();
  /** What is being done in the page. */
  private acting: Promise<void> = Promise.resolve();
  /** All that was begun, until it has ended. */
  private readonly begun = new Set<Promise<void>>();
  private isLeaving = false;

  constructor(
    private conversation: Conversation,
    private readonly view: View,
    private readonly onBusy: (busy: boolean) => void,
  ) {
    for (const item of conversation.items) this.view.draw(item);
  }

  get isBusy(): boolean {
    return this.stopping !== null || this.isLeaving;
  }

  /** Sends what the person wrote. */
  send(text: string): Promise<void> {
    return this.begin(() => this.sendNow(text));
  }

  /** Goes on with what a closed panel left open. */
  resume(): Promise<void> {
    return this.begin(() => this.resumeNow());
  }

  /** Lets go of the conversation as it is, for another panel to go on with it. What is being done in the page is done to its end. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    await this.acting;
    this.stopping?.abort();
    void this.channel?.ask({ ask: "stop" });
    while (this.begun.size) await Promise.allSettled(this.begun);
  }

  private async begin(what: () => Promise<void>): Promise<void> {
    if (this.isLeaving) return;
    const one = what();
    this.begun.add(one);
    await one.finally(() => this.begun.delete(one));
  }

  private async sendNow(text: string): Promise<void> {
    if (this.isBusy || !text.trim()) return;
    // What nobody answered is given up for it, but not what was done: the server is told of that first.
    this.conversation.unanswered = null;
    for (const item of this.calls()) if (!item.result) item.answer = null;
    await this.giveUpWaiting();
    this.add({ kind: "user", text });
    await this.work(messageOf(text));
  }

  /** Sends once more what got no answer. */
  private async resend(): Promise<void> {
    const { unanswered } = this.conversation;
    if (this.isBusy || !unanswered) return;
    // The server answers from the beginning.
    for (const item of this.conversation.items.splice(unanswered.at)) this.view.remove(item);
    const isOfCall = this.calls().some((item) => item.answer?.request_id === unanswered.message.request_id);
    await this.work(isOfCall ? null : unanswered.message);
  }

  private async resumeNow(): Promise<void> {
    for (const item of this.calls()) {
      const result: ToolResult = { success: false, error: LOST };
      if (item.state === "running") await this.settle(item, { state: "approved", result, answer: resultOf(item, result) });
    }
    if (this.conversation.unanswered) return this.offerResend(t("no_answer_interrupted"));
    if (this.calls().some((item) => item.state === "waiting" || item.answer)) await this.work(null);
  }

  /** Ends whatever goes on. */
  stop(): void {
    const { session, unanswered } = this.conversation;
    if (this.isBusy) this.view.say(t("stopping"));
    if (this.isBusy && unanswered) this.cancelling = loadSettings().then((settings) => cancel(settings, session));
    this.stopping?.abort();
    void this.channel?.ask({ ask: "stop" });
  }

  clear(): Promise<void> {
    return this.begin(() => {
      this.stop();
      this.conversation = newConversation();
      this.view.clear();
      return this.save();
    });
  }

  private async work(first: Message | null): Promise<void> {
    const stopping = new AbortController();
    this.stopping = stopping;
    if (this.isLeaving) stopping.abort();
    this.onBusy(true);
    try {
      await this.cancelling;
      for (const item of first ? this.calls() : []) if (item.answer && item.result) await this.answer(item, item.answer, stopping.signal);
      if (first && !stopping.signal.aborted) await this.giveUpWaiting();
      if (first) await this.exchange(first, stopping.signal);
      for (let round = 0; round < ROUNDS_MAX && !stopping.signal.aborted; round++) {
        for (const item of this.calls().filter((call) => call.state === "waiting")) await this.decide(item, stopping.signal);
        const item = this.calls().find((call) => call.answer);
        if (!item?.answer || stopping.signal.aborted) break;
        await this.answer(item, item.answer, stopping.signal);
      }
      this.view.say(stopping.signal.aborted ? t("stopped") : t("ready"));
    } catch (error) {
      this.offerResend(failureText(error));
      this.view.say(t("ready"));
    } finally {
      // What is left to another panel stays as it is.
      const isOver = stopping.signal.aborted && !this.isLeaving;
      if (isOver) this.conversation.unanswered = null;
      if (isOver) for (const item of this.calls()) await this.abandon(item);
      if (this.stopping === stopping) this.stopping = null;
      this.onBusy(this.isBusy);
      await this.save();
    }
  }

  /** Tells the server what became of a call. Where it never takes that, the person is told, and the chat goes on. */
  private async answer(item: CallItem, answer: Message, stop: AbortSignal): Promise<void> {
    try {
      await this.exchange(answer, stop, item);
    } catch (error) {
      if (!(error instanceof NeverTaken)) throw error;
      this.conversation.unanswered = null;
      // What the browser has done is done.
      const state = item.result || item.state === "rejected" ? item.state : "untaken";
      await this.settle(item, { state, result: item.result, answer: null });
      this.add({ kind: "notice", text: t("never_taken", error.message) });
      await this.save();
    }
  }

  /** One message, and the answer as it streams in. */
  private async exchange(message: Message, stop: AbortSignal, of: CallItem | null = null): Promise<void> {
    const conversation = this.conversation;
    conversation.unanswered = { message, at: conversation.items.length };
    await this.save();
    this.view.say(t("thinking"));
    const settings = await loadSettings();
    // What was done may have led to another page: the server is told of that one.
    if (of?.result?.results) await loadedPage(stop);
    const info = await this.info();
    let answer: (Item & { kind: "assistant" }) | null = null;
    let calls = 0;
    const hear: Parameters<typeof ask>[5] = (said) => {
      if (stop.aborted || conversation !== this.conversation) return;
      if (said.kind === "content") {
        if (!answer) this.add((answer = { kind: "assistant", text: "" }));
        answer.text = (answer.text + said.text).slice(0, ANSWER_MAX);
        this.view.drawSoon(answer);
      } else if (said.kind === "allowed") {
        answer = null;
        this.add({ kind: "call", id: said.id, hash: null, tool: said.tool, args: said.args, page: null, state: "allowed", result: null, answer: null });
      } else if (++calls <= CALLS_MAX) {
        answer = null;
        this.add({ kind: "call", id: said.id, hash: said.hash, tool: said.tool, args: said.args, page: info?.url ?? null, state: "waiting", result: null, answer: null });
      }
    };
    await ask(settings, conversation.session, message, info, stop, hear);
    if (stop.aborted) return;
    if (of) of.answer = null;
    conversation.unanswered = null;
    await this.save();
  }

  /** Says that there was no answer, with a way to ask for it again. */
  private offerResend(why: string): void {
    const item: Item = { kind: "notice", text: why };
    this.add(item);
    if (this.conversation.unanswered) this.view.offer(item, () => void this.begin(() => this.resend()));
  }

  /** What the page in front shows; nothing, where it can't be read. */
  private async info(): Promise<PageInfo | null> {
    const about = this.conversation.items.findLast((item) => item.kind === "user")?.text ?? "";
    const channel = await currentPage();
    if (typeof channel === "string") return null;
    const info = await channel.ask<PageInfo>({ ask: "info", about: about.slice(0, 2000) });
    return info.ok ? info.value : null;
  }

  /** Shows a card until it is decided, and carries out what was. */
  private async decide(item: CallItem, stop: AbortSignal): Promise<void> {
    let channel: PageChannel | null = null;
    for (;;) {
      if (stop.aborted) return;
      const shown = await this.face(item);
      channel = shown.channel;
      this.channel = channel;
      const card = makeCard(shown.face, item.args, (at) => shown.face.kind === "preview" && void channel?.ask({ ask: "reveal", ticket: shown.face.preview.ticket, at }));
      this.view.put(item, card.element);
      this.view.say(t("waiting"));
      const stopped = new Promise<null>((give) => stop.addEventListener("abort", () => give(null), { once: true }));
      const decision = await Promise.race([card.decision, stopped]);
      if (!decision) return;
      const deed = this.act(item, shown.face, decision, channel, stop);
      this.acting = deed.then(() => undefined, () => undefined);
      const outcome = await deed;
      if (outcome) return void (await this.settle(item, outcome));
    }
  }

  /** What comes of a decision; null: the card is to be shown anew. */
  private async act(item: CallItem, face: Face, decision: Decision, channel: PageChannel | null, stop: AbortSignal): Promise<Outcome | null> {
    switch (decision.kind) {
      case "retry":
        if (face.kind === "preview") await channel?.ask({ ask: "drop", ticket: face.preview.ticket });
        return null;
      case "edit":
        if (face.kind === "preview") await channel?.ask({ ask: "drop", ticket: face.preview.ticket });
        item.args = decision.args;
        item.edited = true;
        return null;
      case "reject":
        if (face.kind === "preview") await channel?.ask({ ask: "drop", ticket: face.preview.ticket });
        return rejected(item, face);
      case "approve":
        if (face.kind === "server") return { state: "approved", result: null, answer: decisionOf(item, true, decision.grants) };
        if (face.kind !== "preview" || !channel) return null;
        item.state = "running";
        await this.save();
        this.view.draw(item);
        this.view.say(t("acting"));
        return approved(item, face.call, face.preview, channel, stop);
    }
  }

  /** What the card of a call says, as the page is now. */
  private async face(item: CallItem): Promise<{ face: Face; channel: PageChannel | null }> {
    const { tool, args } = item;
    if (!isBrowserTool(tool)) return { face: { kind: "server", tool, canEdit: item.hash !== null }, channel: null };
    const why = whyNot(tool, args);
    if (why !== null) return { face: { kind: "bad", tool, why }, channel: null };
    const call = checkCall(tool, JSON.parse(args));
    const channel = await currentPage();
    if (typeof channel === "string") return { face: unreachable(tool, channel), channel: null };
    const preview = await channel.ask<Preview>({ ask: "preview", call });
    if (!preview.ok) return { face: unreachable(tool, preview.refusal), channel: null };
    if (item.page && placeOf(item.page) !== placeOf(preview.value.url)) {
      await channel.ask({ ask: "drop", ticket: preview.value.ticket });
      return { face: unreachable(tool, "elsewhere"), channel: null };
    }
    return { face: { kind: "preview", call, preview: preview.value }, channel };
  }

  private async settle(item: CallItem, outcome: Outcome): Promise<void> {
    Object.assign(item, outcome);
    this.view.draw(item);
    await this.save();
  }

  /** The person's words void what nobody decided, on the server too: also what it proposed when told of a kept result just before. */
  private async giveUpWaiting(): Promise<void> {
    for (const item of this.calls()) if (item.state === "waiting") await this.settle(item, { state: "stopped", result: null, answer: null });
  }

  /** What was stopped is over. The server is told of what was done all the same, with the next message. */
  private async abandon(item: CallItem): Promise<void> {
    if (!item.result) item.answer = null;
    if (item.state === "waiting" || item.state === "running") await this.settle(item, { state: "stopped", result: item.result, answer: null });
  }

  private calls(): CallItem[] {
    return this.conversation.items.filter((item): item is CallItem => item.kind === "call");
  }

  private add(item: Item): void {
    this.conversation.items.push(item);
    this.view.draw(item);
  }

  private save(): Promise<void> {
    return saveConversation(this.conversation);
  }
}

const unreachable = (tool: ToolName, why: Refusal): Face => ({ kind: "unreachable", tool, why: t(`why_${why}`) });

const messageOf = (message: string): Message => ({ message, role: "user", request_id: crypto.randomUUID() });

/** The word to the server about what a tool of ours came to. */
const resultOf = (item: CallItem, result: ToolResult): Message => ({ ...messageOf(resultMessage(item.tool, result)), ...(item.id ? { tool_call_id: item.id } : {}) });

/** The word to the server about a tool of its own. */
function decisionOf(item: CallItem, approved: boolean, grants = false): Message {
  const decision = { toolId: item.id ?? item.tool, approved, ...(item.hash ? { hash: item.hash } : {}), ...(item.edited && approved ? { arguments: readExactly(item.args) } : {}), ...(grants ? { scope: "conversation" } : {}) };
  return { ...messageOf(JSON.stringify(decision)), role: "function" };
}

function rejected(item: CallItem, face: Face): Outcome {
  if (face.kind === "server") return { state: "rejected", result: null, answer: decisionOf(item, false) };
  // What couldn't be approved wasn't refused by the person: the model is told what is wrong with it.
  const error = face.kind === "bad" ? `参数错误: ${face.why}` : (problemOf(face) ?? CANCELLED);
  const result: ToolResult = { success: false, error };
  return { state: "rejected", result, answer: resultOf(item, result) };
}

async function approved(item: CallItem, call: Call, preview: Preview, channel: PageChannel, stop: AbortSignal): Promise<Outcome> {
  const { result, stale } = await carryOut(channel, call, preview.ticket, stop);
  const told: ToolResult = item.edited ? { ...result, arguments: call.args } : result;
  return { state: stale ? "stale" : "approved", result: told, answer: resultOf(item, told) };
}

function failureText(error: unknown): string {
  if (error instanceof ServerFailed) return t("server_error", error.message);
  if (!(error instanceof NoAnswer)) return t("failed", String(error));
  const known = t(`no_answer_${error.message}`);
  return known === `no_answer_${error.message}` ? t("failed", error.message) : known;
}
