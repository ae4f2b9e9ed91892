// Messages to us that weren't the panel's. They are refused; who sent them, and how often, is told to the server, whose audit log has
// it: nothing of what they say.

import { loadSettings, serverOf } from "../shared/settings.js";
import type { RefusalsRequest } from "../shared/generated.js";

/** So many senders are told apart, and so many tries of one are counted, between two reports. */
const [SENDERS_MAX, TIMES_MAX] = [9, 1_000_000];
/** So long they are gathered before they are told of, and so long it takes until the next report, ms: less than we are left awake. */
const [GATHER, PAUSE] = [500, 10_000];
const LIMIT = 10_000;
/** All senders beyond those that are told apart, and those that can't be named. */
const OTHERS = "others";

let times = new Map<string, number>();
let isDue = false;
let quietUntil = 0;

/** Counts a message that was refused. */
export function noteRefused(sender: chrome.runtime.MessageSender): void {
  const from = nameOf(sender);
  count(times.has(from) || times.size < SENDERS_MAX ? from : OTHERS, 1);
  if (isDue) return;
  isDue = true;
  setTimeout(() => void report(), Math.max(GATHER, quietUntil - Date.now()));
}

const count = (from: string, more: number): void => void times.set(from, Math.min(TIMES_MAX, (times.get(from) ?? 0) + more));

/** Another extension by its id, anything else by its origin, as the browser has it. */
function nameOf({ id, origin, url }: chrome.runtime.MessageSender): string {
  if (id !== undefined && id !== chrome.runtime.id && /^[a-p]{32}$/.test(id)) return `chrome-extension://${id}`;
  const of = origin ?? url ?? "";
  const name = URL.canParse(of) ? new URL(of).origin : "";
  return name !== "" && name !== "null" && name.length <= 100 ? name : OTHERS;
}

async function report(): Promise<void> {
  isDue = false;
  quietUntil = Date.now() + PAUSE;
  const told = times;
  times = new Map();
  if (await isTold([...told].map(([from, tries]) => ({ from, times: tries })))) return;
  // With the next one that is refused.
  for (const [from, tries] of told) count(times.has(from) || times.size < SENDERS_MAX ? from : OTHERS, tries);
}

/** Tells the server; true, too, where there is none to be told. */
async function isTold(refused: RefusalsRequest["refused"]): Promise<boolean> {
  const settings = await loadSettings();
  const server = serverOf(settings.server);
  if (!server) return true;
  const headers: Record<string, string> = { "Content-Type": "application/json", ...(settings.token ? { Authorization: `Bearer ${settings.token}` } : { "X-User-Id": settings.user }) };
  const body = JSON.stringify({ refused } satisfies RefusalsRequest);
  const how: RequestInit = { method: "POST", headers, body, credentials: "omit", cache: "no-store", redirect: "error", signal: AbortSignal.timeout(LIMIT) };
  return fetch(`${server}/api/v1/refusals`, how).then(
    // One that doesn't know the address will not later.
    ({ ok, status }) => ok || status === 404,
    () => false,
  );
}
