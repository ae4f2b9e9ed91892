// A tab that is lent: what handeye asks is passed on to the browser's debugger where it is on the list, and what the tab tells is
// passed back. What is asked of the browser itself is answered here, as by a browser with this one tab.

import { parsed } from "./meeting.js";
import { ENDED, EVENTS, METHODS, OUTSIDE, SESSION } from "../shared/generated.js";

/** Why it is over; `gone`: handeye has gone. */
export type Over = keyof typeof ENDED | "gone";

export interface TargetInfo {
  targetId: string;
  type: "page";
  title: string;
  url: string;
  attached: boolean;
}

/** Something that isn't on the list. */
class Outside extends Error {}

/** What a lent tab may be sent to. Above all not a page of ours: who asks there could attach to any tab, and read the token. */
const SCHEMES: ReadonlySet<string> = new Set(["http:", "https:", "file:", "about:", "data:"]);
const OWN = chrome.runtime.getURL("");

interface History {
  entries?: { id?: number; url?: string }[];
}

const historyOf = async (tabId: number): Promise<History> => ((await chrome.debugger.sendCommand({ tabId }, "Page.getNavigationHistory")) ?? {}) as History;

/** Whether a tab that is attached to was ever at a page of ours: it could go back there. */
export const wasOurs = async (tabId: number): Promise<boolean> => (await historyOf(tabId)).entries?.some(({ url }) => url?.startsWith(OWN)) ?? true;

const listed: ReadonlySet<string> = new Set(METHODS);
const told: ReadonlySet<string> = new Set(EVENTS);

/** What a tab shows; null where it is gone. */
export async function targetOf(tabId: number): Promise<TargetInfo | null> {
  const target = (await chrome.debugger.getTargets()).find((one) => one.tabId === tabId);
  return target ? { targetId: target.id, type: "page", title: target.title, url: target.url, attached: true } : null;
}

export class Relay {
  private readonly frames = new Set<string>();
  private isEntered = false;
  private isOver = false;

  /** `moved` is told when the tab shows another page; `over` once, when nothing is passed on any more. */
  constructor(
    private readonly tabId: number,
    private readonly socket: WebSocket,
    private readonly moved: () => void,
    private readonly over: (why: Over) => void,
  ) {
    chrome.debugger.onEvent.addListener(this.happened);
    chrome.debugger.onDetach.addListener(this.detached);
    socket.addEventListener("message", this.asked);
    socket.addEventListener("close", this.gone);
    if (socket.readyState !== WebSocket.OPEN) this.end("gone");
  }

  /** Takes the tab back. */
  end(why: Over): void {
    if (this.isOver) return;
    this.isOver = true;
    chrome.debugger.onEvent.removeListener(this.happened);
    chrome.debugger.onDetach.removeListener(this.detached);
    this.socket.removeEventListener("message", this.asked);
    this.socket.removeEventListener("close", this.gone);
    if (why === "gone") this.socket.close();
    else this.socket.close(ENDED[why]);
    // It may be detached from already.
    void chrome.debugger.detach({ tabId: this.tabId }).catch(() => null);
    this.over(why);
  }

  private readonly gone = () => this.end("gone");

  private readonly detached = (source: chrome.debugger.Debuggee, reason: string) => {
    if (source.tabId === this.tabId && source.sessionId === undefined) this.end(reason === "target_closed" ? "closed" : "stopped");
  };

  private readonly happened = (source: chrome.debugger.Debuggee, method: string, params?: object) => {
    if (source.tabId !== this.tabId) return;
    const { sessionId, frame } = (params ?? {}) as { sessionId?: string; frame?: { parentId?: string; url?: string } };
    if (method === "Page.frameNavigated" && source.sessionId === undefined && frame?.parentId === undefined) {
      if (frame?.url?.startsWith(OWN)) return this.end("stopped");
      this.moved();
    }
    if (method === "Target.attachedToTarget" && sessionId) this.frames.add(sessionId);
    if (told.has(method)) this.say({ method, params: params ?? {}, sessionId: source.sessionId ?? SESSION });
    if (method === "Target.detachedFromTarget" && sessionId) this.frames.delete(sessionId);
  };

  private readonly asked = ({ data }: MessageEvent) => {
    const { id, method, params, sessionId } = parsed(data) ?? {};
    if (typeof id !== "number" || typeof method !== "string") return;
    const of = typeof params === "object" && params !== null ? params : {};
    const answer = sessionId === undefined ? this.answer(method, of) : this.pass(String(sessionId), method, of);
    answer.then(
      (result) => this.say({ id, result: result ?? {} }),
      (error: unknown) => this.say({ id, error: refusalOf(error) }),
    );
  };

  /** What is asked of the browser. */
  private async answer(method: string, params: object): Promise<object> {
    switch (method) {
      case "Browser.getVersion":
        return { product: navigator.userAgent, protocolVersion: "1.3" };
      case "Target.setDiscoverTargets":
        return {};
      case "Target.getTargets": {
        const target = await targetOf(this.tabId);
        return { targetInfos: target ? [target] : [] };
      }
      case "Target.attachToTarget": {
        const target = await targetOf(this.tabId);
        if (this.isEntered || !target || (params as { targetId?: unknown }).targetId !== target.targetId) throw new Outside();
        this.isEntered = true;
        this.say({ method: "Target.attachedToTarget", params: { sessionId: SESSION, targetInfo: target, waitingForDebugger: false } });
        return { sessionId: SESSION };
      }
      default:
        throw new Outside();
    }
  }

  /** What is asked of the tab, or of a document in it. */
  private async pass(session: string, method: string, params: object): Promise<object | undefined> {
    if (!listed.has(method) || !this.isEntered) throw new Outside();
    if (session !== SESSION && !this.frames.has(session)) throw new Error(JSON.stringify({ code: -32001, message: "Session with given id not found." }));
    if (!(await this.mayGo(method, params))) throw new Outside();
    return chrome.debugger.sendCommand(session === SESSION ? { tabId: this.tabId } : { tabId: this.tabId, sessionId: session }, method, params);
  }

  /** Whether a method leads to nothing that isn't a page. */
  private async mayGo(method: string, params: object): Promise<boolean> {
    const { url, entryId } = params as { url?: unknown; entryId?: unknown };
    if (method === "Page.navigate") return typeof url === "string" && URL.canParse(url) && SCHEMES.has(new URL(url).protocol);
    if (method !== "Page.navigateToHistoryEntry") return true;
    const entry = (await historyOf(this.tabId)).entries?.find(({ id }) => id === entryId);
    return !entry?.url?.startsWith(OWN);
  }

  private say(message: object): void {
    if (!this.isOver && this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}

/** The debugger says why it refuses in JSON. */
function refusalOf(error: unknown): object {
  if (error instanceof Outside) return { code: OUTSIDE, message: "not on the list" };
  const text = error instanceof Error ? error.message : String(error);
  const { code, message } = parsed(text) ?? {};
  return { code: typeof code === "number" ? code : -32_000, message: typeof message === "string" ? message : text };
}
