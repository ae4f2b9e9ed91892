// Messages to us that weren't the panel's. They are refused; who sent them, and how often, is told to the server, whose audit log has
// it: nothing of what they say. What it hasn't taken yet is kept while the browser runs.

import { loadSettings, serverOf } from "../shared/settings.js";
import type { RefusalsRequest } from "../shared/generated.js";

/** So many senders are told apart, and so many tries of one are counted, between two reports. */
const [SENDERS_MAX, TIMES_MAX] = [9, 1_000_000];
/** So long they are gathered before they are told of, and so long it takes until the next report, ms: less than we are left awake. */
const [GATHER, PAUSE] = [500, 10_000];
const LIMIT = 10_000;
/** All senders beyond those that are told apart, and those that can't be named. */
const OTHERS = "others";

/** Where the browser keeps what isn't told yet: we may be put to sleep before the server takes it. */
const KEPT = "refused";

const times = new Map<string, number>();
let isDue = false;
let quietUntil = 0;
const restored = restore();

/** Counts a message that was refused. */
export function noteRefused(sender: chrome.runtime.MessageSender): void {
  count(nameOf(sender), 1);
  tellRefused();
}

/** Tells of what was refused, soon; nothing where there is nothing to tell. */
export function tellRefused(): void {
  if (isDue || !times.size) return;
  isDue = true;
  const tell = async () => {
    const isTaken = await report().catch(() => false);
    isDue = false;
    // What was refused meanwhile.
    if (isTaken) tellRefused();
  };
  setTimeout(() => void tell(), Math.max(GATHER, quietUntil - Date.now()));
}

function count(sender: string, more: number): void {
  const from = times.has(sender) || times.size < SENDERS_MAX ? sender : OTHERS;
  times.set(from, Math.min(TIMES_MAX, (times.get(from) ?? 0) + more));
}

/** Takes up what was left untold. */
async function restore(): Promise<void> {
  const kept = await chrome.storage.session.get(KEPT).catch(() => null);
  for (const [from, tries] of (kept?.[KEPT] as [string, number][] | undefined) ?? []) count(from, tries);
  tellRefused();
}

/** Keeps what is left; without room for it, it is left to our memory. */
const keep = (): Promise<void> => (times.size ? chrome.storage.session.set({ [KEPT]: [...times] }) : chrome.storage.session.remove(KEPT)).catch(() => {});

/** Another extension by its id, anything else by its origin, as the browser has it. */
function nameOf({ id, origin, url }: chrome.runtime.MessageSender): string {
  if (id !== undefined && id !== chrome.runtime.id && /^[a-p]{32}$/.test(id)) return `chrome-extension://${id}`;
  const of = origin ?? url ?? "";
  const name = URL.canParse(of) ? new URL(of).origin : "";
  return name !== "" && name !== "null" && name.length <= 100 ? name : OTHERS;
}

/** Tells the server; whether it took it. What it doesn't take is told with what is refused next, with what the panel asks next, or when we are woken. */
async function report(): Promise<boolean> {
  await restored;
  quietUntil = Date.now() + PAUSE;
  await keep();
  const told = [...times];
  if (!(await isTold(told.map(([from, tries]) => ({ from, times: tries }))))) {
    await keep();
    return false;
  }
  for (const [from, tries] of told) {
    const left = (times.get(from) ?? 0) - tries;
    if (left > 0) times.set(from, left);
    else times.delete(from);
  }
  await keep();
  return true;
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
