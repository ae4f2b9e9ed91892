// The door between the panel and the pages: it alone puts the content script into a page and talks to it, and lets nobody in
// but the panel. It keeps nothing but the counts of what it refused: it may be put to sleep at any time.

import { noteRefused, tellRefused } from "./refused.js";
import { ANSWER_MAX, type Documents, type DoorRequest, type Refusal, type Reply } from "../shared/protocol.js";

const PANEL = chrome.runtime.getURL("panel.html");

// Opened by the person's click on the button, which lets us into that tab's page.
chrome.action.onClicked.addListener((tab) => void chrome.sidePanel.open({ windowId: tab.windowId }));

// The token is for our own pages alone, never for content scripts.
void chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" });

/** Whether a message is the panel's own. */
function isPanel(sender: chrome.runtime.MessageSender): boolean {
  return sender.id === chrome.runtime.id && sender.tab === undefined && sender.url !== undefined && sender.url.split(/[?#]/)[0] === PANEL;
}

function isRequest(message: unknown): message is DoorRequest {
  const { door, tabId, documentId, request } = (message ?? {}) as Record<string, unknown>;
  if (typeof tabId !== "number") return false;
  return door === "enter" || (door === "ask" && typeof documentId === "string" && typeof (request as { ask?: unknown } | undefined)?.ask === "string");
}

const refused = (refusal: Refusal): Reply<never> => ({ ok: false, refusal });

/** So many frames of a page are looked into. */
const FRAMES_MAX = 20;

/** Puts the content script into a tab's page and its frames; says which documents those are. */
async function enter(tabId: number): Promise<Reply<Documents>> {
  try {
    const all = await chrome.scripting.executeScript({ target: { tabId, allFrames: true }, files: ["content.js"] });
    const main = all.find(({ frameId }) => frameId === 0);
    const frames = all.filter((one) => one !== main).map(({ documentId }) => documentId);
    return main ? { ok: true, value: { main: main.documentId, frames: frames.slice(0, FRAMES_MAX) } } : refused("no_page");
  } catch (error) {
    return refused(/permission|access/i.test(String(error)) ? "no_access" : "no_page");
  }
}

/** So often a document that is slow to answer is looked for, ms. */
const LOOK = 500;

/** Asks that very document, and no other that the tab may show by now. */
async function ask(tabId: number, documentId: string, request: unknown): Promise<Reply<unknown>> {
  const answer = (chrome.tabs.sendMessage(tabId, request, { documentId }) as Promise<Reply<unknown> | undefined>).then(
    (reply) => reply ?? refused("gone"),
    () => refused("gone"),
  );
  return Promise.race([answer, left(tabId, documentId, answer)]);
}

/**
 * Waits until the tab shows that document no more: one kept for the way back is frozen, and never answers what reached it then. Nor is
 * it looked for once the panel has given up.
 */
async function left(tabId: number, documentId: string, answer: Promise<unknown>): Promise<Reply<never>> {
  const since = performance.now();
  const waiting = Symbol();
  const pause = () => new Promise<symbol>((give) => setTimeout(() => give(waiting), LOOK));
  while ((await Promise.race([answer, pause()])) === waiting) {
    if (performance.now() - since > ANSWER_MAX || !(await isShown(tabId, documentId))) break;
  }
  return refused("gone");
}

/** Whether a tab shows a document, in whichever of its frames and however far those have come up. */
async function isShown(tabId: number, documentId: string): Promise<boolean> {
  try {
    const all = await chrome.scripting.executeScript({ target: { tabId, allFrames: true }, func: () => null, injectImmediately: true });
    return all.some((one) => one.documentId === documentId);
  } catch {
    return false;
  }
}

/** Refuses a message, whatever it says. */
function turnAway(sender: chrome.runtime.MessageSender, answer: (reply: Reply<never>) => void): false {
  noteRefused(sender);
  answer(refused("forbidden"));
  return false;
}

// Other extensions: they are heard for the audit log alone. Web pages have no way to us (no `externally_connectable`).
chrome.runtime.onMessageExternal.addListener((_message, sender, answer) => turnAway(sender, answer));

/** Nobody of ours keeps a connection open. */
function hangUp(port: chrome.runtime.Port): void {
  if (port.sender) noteRefused(port.sender);
  port.disconnect();
}
chrome.runtime.onConnectExternal.addListener(hangUp);
chrome.runtime.onConnect.addListener(hangUp);

chrome.runtime.onMessage.addListener((message, sender, answer) => {
  if (!isPanel(sender)) return turnAway(sender, answer);
  tellRefused();
  if (!isRequest(message)) {
    answer(refused("malformed"));
    return false;
  }
  void (message.door === "enter" ? enter(message.tabId) : ask(message.tabId, message.documentId, message.request)).then(answer);
  return true;
});
