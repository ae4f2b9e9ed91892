// A browser tool's result as a message that the server takes.

import type { ToolResult } from "../shared/protocol.js";
import { toJson } from "../shared/wire.js";

/** Longest message, characters. */
const MESSAGE_MAX = 200_000;
/** The longest texts are cut to so many characters where the whole is too long, and to ever fewer until it isn't. */
const [FIRST, FEWER, LEAST] = [32_768, 0.75, 16];
/** What stands where a text was cut. */
const CUT = "…（已截断）";

/** The message of the role `user`. */
export function resultMessage(tool: string, result: ToolResult): string {
  const message = (of: unknown) => `浏览器工具 ${tool} 执行结果: ${toJson(of)}`;
  let whole = message(result);
  for (let longest = FIRST; whole.length > MESSAGE_MAX && longest >= LEAST; longest *= FEWER) whole = message(shortened(result, Math.floor(longest)));
  return whole;
}

/** The same with no text longer than that, but for what says that it was cut. */
function shortened(value: unknown, longest: number): unknown {
  if (typeof value === "string") return value.length > longest ? value.slice(0, longest) + CUT : value;
  if (Array.isArray(value)) return value.map((one) => shortened(one, longest));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shortened(one, longest)]));
}
