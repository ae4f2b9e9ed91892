// Where the server is, and as whom it is asked.

export interface Settings {
  server: string;
  token: string;
  agent: string;
  model: string;
  user: string;
}

const KEY = "settings";
export const NO_SETTINGS: Settings = { server: "", token: "", agent: "default", model: "", user: "user" };

export async function loadSettings(): Promise<Settings> {
  const stored = (await chrome.storage.local.get(KEY))[KEY];
  const of = typeof stored === "object" && stored !== null ? (stored as Record<string, unknown>) : {};
  const read = (key: keyof Settings): string => (typeof of[key] === "string" ? of[key] : NO_SETTINGS[key]);
  return { server: read("server"), token: read("token"), agent: read("agent"), model: read("model"), user: read("user") };
}

export const saveSettings = (settings: Settings): Promise<void> => chrome.storage.local.set({ [KEY]: settings });

/** The server's address as it is used; null where the token would travel in the clear, or it is none. */
export function serverOf(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    return null;
  }
  if (url.username || url.password || url.search || url.hash) return null;
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isHere)) return null;
  return url.origin + url.pathname.replace(/\/+$/, "");
}
