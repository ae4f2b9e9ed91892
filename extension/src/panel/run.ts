// Carrying out what was approved: step by step, so that it is known what was done when the page goes away in between.

import type { PageChannel } from "./channel.js";
import type { ActionResult, Call, Step, ToolResult, Used } from "../shared/protocol.js";
import { clearedText, LOST, moreText, STALE, STOPPED, summaryOf } from "../shared/wire.js";

/** Runs a call by its ticket; `stale`: nothing was done, since the page isn't what was shown. */
export async function carryOut(channel: PageChannel, call: Call, ticket: string, stop: AbortSignal): Promise<{ result: ToolResult; stale: boolean }> {
  if (call.tool === "page_action") return batch(channel, call.args.actions.length, ticket, stop);
  const used = await channel.ask<Used>({ ask: "use", ticket });
  if (!used.ok) return { result: { success: false, error: STALE }, stale: true };
  const { count = 0, ...result } = used.value;
  if (call.tool === "clear_ai_styles" && result.success) result.message = clearedText(count);
  if (call.tool === "request_more_elements" && count) result.message = moreText(count);
  return { result, stale: result.error === STALE };
}

async function batch(channel: PageChannel, count: number, ticket: string, stop: AbortSignal): Promise<{ result: ToolResult; stale: boolean }> {
  // Where the document is gone by now nothing was done; from the first step on nobody could say.
  const checked = await channel.ask<boolean>({ ask: "check", ticket });
  if (!checked.ok || !checked.value) return { result: { success: false, error: STALE }, stale: true };
  const results: ActionResult[] = [];
  for (let at = 0; at < count; at++) {
    const one = stop.aborted ? { success: false, message: STOPPED } : await once(channel, ticket, at, stop);
    if (!one) return at === 0 ? { result: { success: false, error: STALE }, stale: true } : { result: toldOf([...results, { success: false, message: STALE }]), stale: false };
    results.push(one);
    if (!one.success) break;
  }
  return { result: toldOf(results), stale: false };
}

/** One step; null: the page isn't what was shown. */
async function once(channel: PageChannel, ticket: string, at: number, stop: AbortSignal): Promise<ActionResult | null> {
  const stopped = new Promise<"stopped">((give) => stop.addEventListener("abort", () => give("stopped"), { once: true }));
  const step = await Promise.race([channel.ask<Step>({ ask: "step", ticket, at }), stopped]);
  if (step === "stopped") return { success: false, message: STOPPED };
  if (!step.ok) return { success: false, message: LOST };
  return step.value.stale ? null : step.value.result;
}

/** What a batch came to, in the form of the wire. */
function toldOf(results: ActionResult[]): ToolResult {
  const failure = results.find((result) => !result.success);
  const failures = failure ? 1 : 0;
  const summary = summaryOf(results.length - failures, failures);
  return failure ? { success: false, error: failure.message, results, summary } : { success: true, results, summary };
}
