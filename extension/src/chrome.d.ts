// The parts of the extension API that are in use, as Chrome documents them.

declare namespace chrome {
  interface Event<F> {
    addListener(listener: F): void;
    removeListener(listener: F): void;
  }
  namespace runtime {
    const id: string;
    interface MessageSender {
      id?: string;
      url?: string;
      origin?: string;
      tab?: tabs.Tab;
      documentId?: string;
    }
    function getURL(path: string): string;
    function sendMessage(message: unknown): Promise<unknown>;
    type Hear = (message: unknown, sender: MessageSender, answer: (reply: unknown) => void) => boolean | void;
    const onMessage: Event<Hear>;
    const onMessageExternal: Event<Hear>;
    interface Port {
      sender?: MessageSender;
      disconnect(): void;
    }
    const onConnect: Event<(port: Port) => void>;
    const onConnectExternal: Event<(port: Port) => void>;
  }
  namespace tabs {
    interface Tab {
      id?: number;
      windowId: number;
      url?: string;
      title?: string;
      status?: "unloaded" | "loading" | "complete";
    }
    function getCurrent(): Promise<Tab | undefined>;
    function query(what: { active?: boolean; currentWindow?: boolean }): Promise<Tab[]>;
    function sendMessage(tabId: number, message: unknown, options: { documentId: string }): Promise<unknown>;
  }
  namespace dom {
    function openOrClosedShadowRoot(element: HTMLElement): ShadowRoot | null;
  }
  namespace action {
    const onClicked: Event<(tab: tabs.Tab) => void>;
  }
  namespace sidePanel {
    function open(options: { windowId: number }): Promise<void>;
  }
  namespace scripting {
    interface InjectionResult {
      documentId: string;
      frameId: number;
      result?: unknown;
    }
    /** Of a script of our own, or a function, which is put into documents that are still coming up, too. */
    type Injected = { files: string[] } | { func: () => unknown; injectImmediately: boolean };
    function executeScript(what: { target: { tabId: number; allFrames: boolean } } & Injected): Promise<InjectionResult[]>;
  }
  namespace storage {
    interface Area {
      get(keys: string): Promise<Record<string, unknown>>;
      set(items: Record<string, unknown>): Promise<void>;
      remove(keys: string): Promise<void>;
      setAccessLevel(level: { accessLevel: "TRUSTED_CONTEXTS" }): Promise<void>;
    }
    const local: Area;
    const session: Area;
  }
  namespace permissions {
    interface Permissions {
      origins?: string[];
    }
    function getAll(): Promise<Permissions>;
    function request(what: Permissions): Promise<boolean>;
    function remove(what: Permissions): Promise<boolean>;
  }
  namespace i18n {
    function getMessage(name: string, substitutions?: string[]): string;
  }
}

declare namespace chrome {
  namespace _debugger {
    interface Debuggee {
      tabId?: number;
      sessionId?: string;
    }
    interface TargetInfo {
      id: string;
      tabId?: number;
      title: string;
      url: string;
    }
    function attach(target: Debuggee, version: string): Promise<void>;
    function detach(target: Debuggee): Promise<void>;
    function sendCommand(target: Debuggee, method: string, params?: object): Promise<object | undefined>;
    function getTargets(): Promise<TargetInfo[]>;
    const onEvent: chrome.Event<(source: Debuggee, method: string, params?: object) => void>;
    const onDetach: chrome.Event<(source: Debuggee, reason: string) => void>;
  }
  export { _debugger as debugger };
}
