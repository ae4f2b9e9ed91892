// The server: one request, and what it streams back.

import { EventReader } from "./sse.js";
import type { Settings } from "../shared/settings.js";
import { serverOf } from "../shared/settings.js";
import { t } from "./text.js";
import type { ChatEvent, ChatRequest, Error as ServerError, Paired, PairRequest } from "../shared/generated.js";
import type { PageInfo } from "../shared/protocol.js";
import { BROWSER_TOOLS } from "../shared/tools.js";
import { FINISHED, toJson } from "../shared/wire.js";

/** What the server may say. */
export type Said =
  | { kind: "content"; text: string }
  | { kind: "call"; id: string | null; hash: string | null; tool: string; args: string }
  | { kind: "allowed"; id: string | null; tool: string; args: string }
  | { kind: "error"; text: string }
  | { kind: "finished" };

export interface Message {
  message: string;
  role: "user" | "function";
  /** Which call a result is of, where the server has told ids. */
  tool_call_id?: string;
  /** The same for each time that a message is sent. */
  request_id: string;
}

/** An answer that is under way already is waited for so long, and asked for so often, ms: the one before goes on where its panel was closed. */
const [BUSY_MAX, BUSY_PAUSE] = [180_000, 1000];
const BUSY: ServerError["error"]["code"] = "run_in_progress";
/** Without any sign of life for so long, the server is given up, ms: later than it gives a model up. */
const SILENCE_MAX = 200_000;
const ERROR_SHOWN = 500;
const CANCEL_MAX = 10_000;
const PAIR_MAX = 15_000;
const PATH = "/api/v1/agent/chat";

/** Why there is no answer, for the person. */
export class NoAnswer extends Error {}

/** What is said of a call is never taken: it is over, it was decided otherwise, or what is said is none. */
export class NeverTaken extends NoAnswer {}

/** What the server says went wrong within its answer. */
export class ServerFailed extends Error {}

/** Sends a message; tells what comes back until the stream ends. */
export async function ask(settings: Settings, session: string, message: Message, info: PageInfo | null, stop: AbortSignal, hear: (said: Exclude<Said, { kind: "finished" | "error" }>) => void): Promise<void> {
  const server = serverOf(settings.server);
  if (!server) throw new NoAnswer("bad_server");
  const body = {
    ...message,
    ...(settings.model ? { model: settings.model } : {}),
    agent_id: settings.agent,
    session_id: session,
    user_id: settings.user,
    ...(info ? { current_page_info: await digested(info) } : {}),
    browser_tools: BROWSER_TOOLS,
  } satisfies ChatRequest;
  const silence = new AbortController();
  const signal = AbortSignal.any([stop, silence.signal]);
  const hush = () => setTimeout(() => silence.abort(), SILENCE_MAX);
  let timer = hush();
  try {
    const since = performance.now();
    let answer = await post(server, settings, toJson(body), signal);
    for (let why = await refusalOf(answer); why; why = await refusalOf(answer)) {
      if (why.code !== BUSY || performance.now() - since > BUSY_MAX) throw new (isForGood(why) ? NeverTaken : NoAnswer)(`HTTP ${answer.status} ${why.text}`.trim());
      await pause(BUSY_PAUSE, signal);
      clearTimeout(timer);
      timer = hush();
      answer = await post(server, settings, toJson(body), signal);
    }
    if (isPage(answer)) throw new NoAnswer("not_chat");
    if (!answer.body) throw new NoAnswer("cut");
    const reader = new EventReader();
    const stream = answer.body.getReader();
    let isWhole = false;
    let failure: string | null = null;
    for (;;) {
      const { done, value } = await stream.read();
      if (done && !isWhole && !stop.aborted) throw new NoAnswer("cut");
      if (done && failure !== null && !stop.aborted) throw new ServerFailed(failure);
      if (done) return;
      clearTimeout(timer);
      timer = hush();
      for (const data of reader.take(value)) for (const said of read(data)) {
        isWhole ||= said.kind === "finished" || said.kind === "error";
        if (said.kind === "error") failure = said.text;
        else if (said.kind !== "finished") hear(said);
      }
    }
  } catch (error) {
    if (stop.aborted) return;
    if (error instanceof NoAnswer || error instanceof ServerFailed) throw error;
    throw new NoAnswer(silence.signal.aborted ? "silent" : "unreachable");
  } finally {
    clearTimeout(timer);
  }
}

/** Tells the server that its answer isn't waited for any more; one that doesn't know that word goes on for itself. */
export async function cancel(settings: Settings, session: string): Promise<void> {
  const server = serverOf(settings.server);
  if (!server) return;
  const who: Record<string, string> = settings.token ? { Authorization: `Bearer ${settings.token}` } : { "X-User-Id": settings.user };
  const headers = { "Content-Type": "application/json", ...who };
  const limit = AbortSignal.timeout(CANCEL_MAX);
  await fetch(`${server}/api/v1/conversations/${encodeURIComponent(session)}/cancel`, { method: "POST", headers, body: "{}", credentials: "omit", redirect: "error", signal: limit }).catch(() => null);
}

/** Exchanges a code that `handeye token pair` printed for a token; else why there is none. */
export async function pair(address: string, code: string): Promise<Paired | string> {
  const server = serverOf(address);
  if (!server) return t("no_answer_bad_server");
  const body = toJson({ code } satisfies PairRequest);
  const headers = { "Content-Type": "application/json" };
  try {
    const answer = await fetch(`${server}/api/v1/pair`, { method: "POST", headers, body, credentials: "omit", cache: "no-store", redirect: "error", signal: AbortSignal.timeout(PAIR_MAX) });
    const why = await refusalOf(answer);
    if (why) return `HTTP ${answer.status} ${why.text}`.trim();
    const of = (await answer.json().catch(() => ({}))) as Partial<Record<keyof Paired, unknown>>;
    // A server of before tells no agents.
    const agents = Array.isArray(of.agents) ? of.agents.filter((agent): agent is string => typeof agent === "string") : [];
    return typeof of.token === "string" && of.token ? { token: of.token, id: String(of.id), user: String(of.user), agents } : t("no_answer_not_chat");
  } catch {
    return t("no_answer_unreachable");
  }
}

/** What elements are held to may be long: the server has to tell only whether it is the same. */
async function digested(info: PageInfo): Promise<PageInfo> {
  const digest = async (text: string) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { ...info, elements: await Promise.all(info.elements.map(async (one) => ({ ...one, print: await digest(one.print) }))) };
}

const post = (server: string, settings: Settings, body: string, signal: AbortSignal): Promise<Response> =>
  fetch(server + PATH, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...(settings.token ? { Authorization: `Bearer ${settings.token}` } : {}) },
    body,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    signal,
  });

/** Waits; fails where the signal comes first. */
const pause = (time: number, signal: AbortSignal): Promise<void> =>
  new Promise((give, fail) => {
    const timer = setTimeout(give, time);
    signal.addEventListener("abort", () => (clearTimeout(timer), fail(signal.reason as Error)), { once: true });
  });

/** What a server says that refuses. */
interface Refused {
  code: string;
  /** Which field of the request it is about. */
  field: string;
  text: string;
}

/** What no later time and no other setting would change; where a field is at fault, one that says of a call what is said. */
const FOR_GOOD: readonly string[] = ["no_pending_call", "ambiguous_call", "already_decided", "expired", "not_as_proposed", "page_changed", "too_large"] satisfies ServerError["error"]["code"][];
const OF_CALL = /^(message|role|tool_call_id|request_id)\b|^$/;

const isForGood = ({ code, field }: Refused): boolean => FOR_GOOD.includes(code) || (code === ("bad_field" satisfies ServerError["error"]["code"]) && OF_CALL.test(field));

/** What says that nothing takes requests of a chat at the address. */
const NO_CHAT: readonly number[] = [404, 405];

/** Whether it is a page for people, which no chat answers with. */
const isPage = (answer: Response): boolean => /^(text\/html|application\/xhtml)/i.test(answer.headers.get("Content-Type") ?? "");

/** What a refusal says; null where it is none. */
async function refusalOf(answer: Response): Promise<Refused | null> {
  if (answer.ok) return null;
  // A proxy's page says nothing of what stands behind it, where that is only slow, ended or sent too much.
  if (isPage(answer)) return { code: "", field: "", text: NO_CHAT.includes(answer.status) ? t("no_answer_not_chat") : answer.statusText };
  const text = (await answer.text().catch(() => "")).slice(0, 5000);
  try {
    const { error, message, detail } = JSON.parse(text) as Record<string, unknown>;
    const parts = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : { message: error ?? message ?? detail };
    return { code: String(parts.code ?? ""), field: String(parts.field ?? ""), text: typeof parts.message === "string" ? parts.message.slice(0, ERROR_SHOWN) : "" };
  } catch {
    return { code: "", field: "", text: text.slice(0, ERROR_SHOWN) };
  }
}

/** An event's data; what is none of what a server says is passed over. */
export function read(data: string): Said[] {
  let of: unknown;
  try {
    of = JSON.parse(data);
  } catch {
    return [];
  }
  if (typeof of !== "object" || of === null) return [];
  // What a server sends is looked at member by member: it may be any.
  const { content, tool_call: call, tool_allowed: allowed, error, message } = of as Partial<Record<keyof ChatEvent, unknown>>;
  const said: Said[] = [];
  // An error's content is its words once more, for those who know no errors.
  if (typeof content === "string" && error === undefined) said.push({ kind: "content", text: content });
  if (typeof call === "object" && call !== null) {
    const { tool_name: tool, arguments: args, id, hash } = call as Record<string, unknown>;
    if (typeof tool === "string") said.push({ kind: "call", id: typeof id === "string" ? id : null, hash: typeof hash === "string" ? hash : null, tool, args: typeof args === "string" ? args : JSON.stringify(args ?? {}) });
  }
  // What the person granted before, or the server's settings allow: it is shown.
  if (typeof allowed === "object" && allowed !== null) {
    const { tool_name: tool, arguments: args, id } = allowed as Record<string, unknown>;
    if (typeof tool === "string") said.push({ kind: "allowed", id: typeof id === "string" ? id : null, tool, args: typeof args === "string" ? args : "{}" });
  }
  if (error !== undefined) {
    const text = typeof error === "object" && error !== null ? ((error as Record<string, unknown>).message ?? (error as Record<string, unknown>).code) : error;
    said.push({ kind: "error", text: String(text).slice(0, ERROR_SHOWN) });
  }
  if (message === FINISHED) said.push({ kind: "finished" });
  return said;
}
