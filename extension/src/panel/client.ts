// The server: one request, and what it streams back.

import { EventReader } from "./sse.js";
import type { Settings } from "./settings.js";
import { serverOf } from "./settings.js";
import type { PageInfo } from "../shared/protocol.js";
import { BROWSER_TOOLS } from "../shared/tools.js";
import { FINISHED, toJson } from "../shared/wire.js";

/** What the server may say. */
export type Said =
  | { kind: "content"; text: string }
  | { kind: "call"; id: string | null; hash: string | null; tool: string; args: string }
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

/** Without any sign of life for so long, the server is given up, ms: later than it gives a model up. */
const SILENCE_MAX = 200_000;
const ERROR_SHOWN = 500;
const CANCEL_MAX = 10_000;
const PATH = "/api/v1/agent/chat";

/** Why there is no answer, for the person. */
export class NoAnswer extends Error {}

/** Sends a message; tells what comes back until the stream ends. */
export async function ask(settings: Settings, session: string, message: Message, info: PageInfo | null, stop: AbortSignal, hear: (said: Exclude<Said, { kind: "finished" }>) => void): Promise<void> {
  const server = serverOf(settings.server);
  if (!server) throw new NoAnswer("bad_server");
  const body = {
    ...message,
    ...(settings.model ? { model: settings.model } : {}),
    agent_id: settings.agent,
    session_id: session,
    user_id: settings.user,
    ...(info ? { current_page_info: info } : {}),
    browser_tools: BROWSER_TOOLS,
  };
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MAX);
  try {
    const answer = await fetch(server + PATH, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream", ...(settings.token ? { Authorization: `Bearer ${settings.token}` } : {}) },
      body: toJson(body),
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.any([stop, silence.signal]),
    });
    if (!answer.ok || !answer.body) throw new NoAnswer(`HTTP ${answer.status} ${await reasonOf(answer)}`.trim());
    const reader = new EventReader();
    const stream = answer.body.getReader();
    let isWhole = false;
    for (;;) {
      const { done, value } = await stream.read();
      if (done && !isWhole && !stop.aborted) throw new NoAnswer("cut");
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MAX);
      for (const data of reader.take(value)) for (const said of read(data)) {
        isWhole ||= said.kind === "finished" || said.kind === "error";
        if (said.kind !== "finished") hear(said);
      }
    }
  } catch (error) {
    if (stop.aborted) return;
    if (error instanceof NoAnswer) throw error;
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

/** What a refusal says. */
async function reasonOf(answer: Response): Promise<string> {
  const text = (await answer.text().catch(() => "")).slice(0, 5000);
  try {
    const { error, message, detail } = JSON.parse(text) as Record<string, unknown>;
    const said = typeof error === "object" && error !== null ? (error as Record<string, unknown>).message : (error ?? message ?? detail);
    return typeof said === "string" ? said.slice(0, ERROR_SHOWN) : "";
  } catch {
    return text.slice(0, ERROR_SHOWN);
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
  const { content, tool_call: call, error, message } = of as Record<string, unknown>;
  const said: Said[] = [];
  // An error's content is its words once more, for those who know no errors.
  if (typeof content === "string" && error === undefined) said.push({ kind: "content", text: content });
  if (typeof call === "object" && call !== null) {
    const { tool_name: tool, arguments: args, id, hash } = call as Record<string, unknown>;
    if (typeof tool === "string") said.push({ kind: "call", id: typeof id === "string" ? id : null, hash: typeof hash === "string" ? hash : null, tool, args: typeof args === "string" ? args : JSON.stringify(args ?? {}) });
  }
  if (error !== undefined) {
    const text = typeof error === "object" && error !== null ? ((error as Record<string, unknown>).message ?? (error as Record<string, unknown>).code) : error;
    said.push({ kind: "error", text: String(text).slice(0, ERROR_SHOWN) });
  }
  if (message === FINISHED) said.push({ kind: "finished" });
  return said;
}
