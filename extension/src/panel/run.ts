// Carrying out what was approved: step by step, so that it is known what was done when the page goes away, or the person stops, in between.

import type { PageChannel } from "./channel.js";
import type { ActionResult, Call, Step, ToolResult, Used } from "../shared/protocol.js";
import { clearedText, LOST, moreText, STALE, STOPPED, summaryOf } from "../shared/wire.js";

/** So long a page has to say what it did before Stop, ms. */
const LAST_WORD = 5000;

/** What came of a call; `stale`: nothing was done, since the page isn't what was shown. */
type Done = { result: ToolResult; stale: boolean };

/** Nothing was done: the page isn't what was shown, or the person stopped, which takes the ticket away, too. */
const nothing = (stop: AbortSignal): Done => (stop.aborted ? { result: { success: false, error: STOPPED }, stale: false } : { result: { success: false, error: STALE }, stale: true });

/** Runs a call by its ticket. */
export async function carryOut(channel: PageChannel, call: Call, ticket: string, stop: AbortSignal): Promise<Done> {
  if (stop.aborted) return nothing(stop);
  if (call.tool === "page_action") return batch(channel, call.args.actions.length, ticket, stop);
  const used = await channel.ask<Used>({ ask: "use", ticket });
  if (!used.ok || used.value.error === STALE) return nothing(stop);
  const { count = 0, ...result } = used.value;
  if (call.tool === "clear_ai_styles" && result.success) result.message = clearedText(count);
  if (call.tool === "request_more_elements" && count) result.message = moreText(count);
  return { result, stale: false };
}

async function batch(channel: PageChannel, count: number, ticket: string, stop: AbortSignal): Promise<Done> {
  // Where the document is gone by now nothing was done; from the first step on nobody could say.
  const checked = await channel.ask<boolean>({ ask: "check", ticket });
  if (stop.aborted || !checked.ok || !checked.value) return nothing(stop);
  const results: ActionResult[] = [];
  for (let at = 0; at < count; at++) {
    const one = stop.aborted ? { success: false, message: STOPPED } : await once(channel, ticket, at, stop);
    if (!one && at === 0) return nothing(stop);
    results.push(one ?? { success: false, message: stop.aborted ? STOPPED : STALE });
    if (!results.at(-1)?.success) break;
  }
  return { result: toldOf(results), stale: false };
}

/** One step; null: the page isn't what was shown. What was sent may have been done: after Stop, too, the page itself says so, or nobody can. */
async function once(channel: PageChannel, ticket: string, at: number, stop: AbortSignal): Promise<ActionResult | null> {
  const late = new Promise<null>((give) => stop.addEventListener("abort", () => setTimeout(() => give(null), LAST_WORD), { once: true }));
  const step = await Promise.race([channel.ask<Step>({ ask: "step", ticket, at }), late]);
  if (!step?.ok) return { success: false, message: LOST };
  return step.value.stale ? null : step.value.result;
}

/** What a batch came to, in the form of the wire. */
function toldOf(results: ActionResult[]): ToolResult {
  const failure = results.find((result) => !result.success);
  const failures = failure ? 1 : 0;
  const summary = summaryOf(results.length - failures, failures);
  return failure ? { success: false, error: failure.message, results, summary } : { success: true, results, summary };
}
