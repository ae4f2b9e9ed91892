// The conversation as it is kept while the browser runs, so that the panel can be closed and opened at any time.

import type { Message } from "./client.js";
import type { ToolResult } from "../shared/protocol.js";

/** `untaken`: it was approved, but the server took no approval of it any more. */
export type CallState = "waiting" | "running" | "approved" | "rejected" | "stale" | "stopped" | "allowed" | "untaken";

export interface CallItem {
  kind: "call";
  id: string | null;
  /** What the server calls the very thing that it proposes. */
  hash: string | null;
  tool: string;
  args: string;
  /** Where it was proposed, as far as that is known: it is done on that page alone. */
  page: string | null;
  state: CallState;
  /** Whether the person changed the arguments. */
  edited?: boolean;
  /** What it came to, of a browser tool. */
  result: ToolResult | null;
  /** The answer that the server has still to get. */
  answer: Message | null;
}

export type Item = { kind: "user"; text: string } | { kind: "assistant"; text: string } | { kind: "notice"; text: string } | CallItem;

export interface Conversation {
  session: string;
  items: Item[];
  /** What was sent and isn't answered yet, and how many items there were before the answer. */
  unanswered: { message: Message; at: number } | null;
}

const KEY = "conversation";
/** So many items are kept. */
const ITEMS_MAX = 400;

export const newConversation = (): Conversation => ({ session: crypto.randomUUID(), items: [], unanswered: null });

export async function loadConversation(): Promise<Conversation> {
  const stored = (await chrome.storage.session.get(KEY))[KEY] as Conversation | undefined;
  return stored && typeof stored.session === "string" && Array.isArray(stored.items) ? stored : newConversation();
}

export async function saveConversation(conversation: Conversation): Promise<void> {
  forget(conversation, conversation.items.length - ITEMS_MAX);
  const kept = { ...conversation, items: [...conversation.items], unanswered: conversation.unanswered && { ...conversation.unanswered } };
  while (!(await isKept(kept)) && kept.items.length) forget(kept, Math.ceil(kept.items.length / 2));
}

/** Leaves out the oldest items. */
function forget(conversation: Conversation, count: number): void {
  const over = Math.max(0, count);
  conversation.items.splice(0, over);
  if (conversation.unanswered) conversation.unanswered.at = Math.max(0, conversation.unanswered.at - over);
}

/** Keeps it; false where it is more than the browser keeps of us. */
const isKept = (conversation: Conversation): Promise<boolean> =>
  chrome.storage.session.set({ [KEY]: conversation }).then(
    () => true,
    () => false,
  );
