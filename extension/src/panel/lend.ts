// Lending a tab to handeye: the person presses the button at that tab, is shown a code, and takes the tab back by one press.

import { currentTab } from "./channel.js";
import { meet } from "./meeting.js";
import { makeCode, shownCode } from "./pairing.js";
import { type Over, Relay, targetOf, type TargetInfo, wasOurs } from "./relay.js";
import { sentence, t } from "./text.js";

/** How long a code holds, ms. */
const OFFER = 5 * 60_000;
/** The tab that is attached to, for a panel that comes after one that could not let go of it. */
const KEY = "lent";
/** How often a tab without an address is looked at again, and how long it is left between, ms. */
const ARRIVAL = { tries: 50, pause: 100 };

/** The panel's parts that show it. */
export interface Notice {
  box: HTMLElement;
  text: HTMLElement;
  code: HTMLElement;
  lend: HTMLButtonElement;
  takeBack: HTMLButtonElement;
}

export class Lending {
  private stop: AbortController | null = null;
  private relay: Relay | null = null;

  constructor(private readonly notice: Notice) {
    notice.lend.addEventListener("click", (event) => {
      // A person's own press.
      if (event.isTrusted && !this.stop) void this.lend();
    });
    notice.takeBack.addEventListener("click", () => this.takeBack("stopped"));
    window.addEventListener("pagehide", () => this.takeBack("panelClosed"));
  }

  /** Lets go of what a panel that is gone held. */
  async tidy(): Promise<void> {
    await navigator.locks.request(KEY, { ifAvailable: true }, async (lock) => {
      const left = lock ? (await chrome.storage.session.get(KEY))[KEY] : null;
      if (typeof left === "number") await detach(left);
    });
  }

  private takeBack(why: Over): void {
    this.stop?.abort();
    this.relay?.end(why);
  }

  /** One tab at a time, whichever window's panel lends it. */
  private async lend(): Promise<void> {
    const stop = new AbortController();
    this.stop = stop;
    const why = await navigator.locks.request(KEY, { ifAvailable: true }, (lock) => (lock ? this.offer(stop.signal) : t("lend_busy")));
    this.relay = null;
    this.stop = null;
    this.show(why, "", "over");
  }

  /** Offers the tab in front, and lends it; why that is over. */
  private async offer(stop: AbortSignal): Promise<string | Node[]> {
    // Beside a page alone: as a tab of its own it could be lent itself.
    const tabId = (await chrome.tabs.getCurrent()) ? undefined : (await currentTab())?.id;
    const target = tabId === undefined ? null : await targetOf(tabId);
    if (tabId === undefined || !target) return t("why_no_page");
    const code = makeCode();
    this.show(sentence("lend_offer", ...namesOf(target)), `tab:${shownCode(code)}`, "offered");
    const tab = { attach: () => attach(tabId), detach: () => detach(tabId) };
    const met = await meet(code, tab, performance.now() + OFFER, stop);
    if (met.kind === "refused") return sentence("lend_refused", met.why);
    if (met.kind !== "met") return t(stop.aborted ? "lend_stopped" : met.kind === "stranger" ? "lend_mistrusted" : "lend_expired");
    // The person sees where handeye is, wherever it goes.
    const tell = async () => {
      const now = await arrived(tabId);
      if (now && this.stop) this.show(sentence("lent", ...namesOf(now)), "", "lent");
    };
    this.show(sentence("lent", ...namesOf(target)), "", "lent");
    const over = await new Promise<Over>((give) => {
      this.relay = new Relay(tabId, met.socket, () => void tell(), give);
      if (stop.aborted) this.relay.end("stopped");
    });
    await detach(tabId);
    return words(over);
  }

  private show(text: string | Node[], code: string, state: "offered" | "lent" | "over"): void {
    const { box, lend, takeBack } = this.notice;
    this.notice.text.replaceChildren(...(typeof text === "string" ? [text] : text));
    this.notice.code.textContent = code && `handeye open ${code}`;
    this.notice.code.hidden = !code;
    box.dataset.state = state;
    box.hidden = false;
    takeBack.hidden = state === "over";
    lend.disabled = state !== "over";
  }
}

/** Why it is over, for the person. */
function words(over: Over): string {
  switch (over) {
    case "stopped":
      return t("lend_stopped");
    case "closed":
      return t("lend_closed");
    case "panelClosed":
      return t("lend_panel_closed");
    case "mistrusted":
      return t("lend_mistrusted");
    case "gone":
      return t("lend_gone");
  }
}

/** What a person knows a tab by: its title and its host. */
const namesOf = ({ title, url }: { title: string; url: string }): [string, string] => [title || url, hostOf(url)];
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host || url : url).slice(0, 200);

async function attach(tabId: number): Promise<void> {
  await chrome.debugger.attach({ tabId }, "1.3");
  await chrome.storage.session.set({ [KEY]: tabId });
  if (!(await wasOurs(tabId))) return;
  await detach(tabId);
  throw new Error(t("lend_ours"));
}

/** What a tab shows once its address is known: on the way to another page it may have none for a moment. */
async function arrived(tabId: number): Promise<TargetInfo | null> {
  for (let tries = 0; ; tries += 1) {
    const now = await targetOf(tabId);
    if (!now || now.url !== "" || tries === ARRIVAL.tries) return now;
    await new Promise((give) => setTimeout(give, ARRIVAL.pause));
  }
}

/** It may be detached from already. */
async function detach(tabId: number): Promise<void> {
  await chrome.debugger.detach({ tabId }).catch(() => null);
  await chrome.storage.session.remove(KEY);
}
