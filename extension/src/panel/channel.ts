// The page that the person looks at, by one transport: the background's door to the page script's world.

import { WholePage } from "./whole.js";
import { ANSWER_MAX, type Documents, type DoorRequest, type PageRequest, type Refusal, type Reply } from "../shared/protocol.js";

/** One document. Once it is gone, everything it is asked is refused. */
export interface PageChannel {
  ask<T>(request: PageRequest): Promise<Reply<T>>;
}

const door = async <T>(request: DoorRequest): Promise<Reply<T>> => {
  try {
    return (await chrome.runtime.sendMessage(request)) as Reply<T>;
  } catch {
    return { ok: false, refusal: "gone" };
  }
};

/** A document of a tab. */
class TabChannel implements PageChannel {
  constructor(
    private readonly tabId: number,
    private readonly documentId: string,
  ) {}

  ask<T>(request: PageRequest): Promise<Reply<T>> {
    const late = new Promise<Reply<T>>((give) => setTimeout(() => give({ ok: false, refusal: "gone" }), ANSWER_MAX));
    return Promise.race([door<T>({ door: "ask", tabId: this.tabId, documentId: this.documentId, request }), late]);
  }
}

/** The tab in front of this window. */
export async function currentTab(): Promise<chrome.tabs.Tab | null> {
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  return tab ?? null;
}

/** What a click leads to may take so long to begin and to be loaded, ms. */
const [BEGINS, LOADS] = [150, 10_000];

/** Waits until the tab in front has loaded what it is loading. */
export async function loadedPage(stop: AbortSignal): Promise<void> {
  const pause = (time: number) => new Promise((give) => setTimeout(give, time));
  await pause(BEGINS);
  const since = performance.now();
  while (!stop.aborted && performance.now() - since < LOADS && (await currentTab())?.status === "loading") await pause(50);
}

/** The page that is in front now, or why it can't be reached. */
export async function currentPage(): Promise<PageChannel | Refusal> {
  const tabId = (await currentTab())?.id;
  if (tabId === undefined) return "no_page";
  const entered = await door<Documents>({ door: "enter", tabId });
  if (!entered.ok) return entered.refusal;
  const { main, frames } = entered.value;
  const page = new TabChannel(tabId, main);
  const seen = [];
  for (const frame of frames.map((id) => new TabChannel(tabId, id))) {
    const isSeen = await frame.ask<boolean>({ ask: "seen" });
    if (isSeen.ok && isSeen.value) seen.push(frame);
  }
  return seen.length ? new WholePage(page, seen) : page;
}
