// The side panel.

import { Chat } from "./chat.js";
import { pair } from "./client.js";
import { Lending } from "./lend.js";
import { loadSettings, NO_SETTINGS, saveSettings, serverOf, type Settings } from "../shared/settings.js";
import { allowCurrentSite, listSites } from "./sites.js";
import { loadConversation } from "./store.js";
import { h, sentence, t, translate } from "./text.js";
import { Turns } from "./turns.js";
import { View } from "./view.js";

function byId<T extends HTMLElement>(id: string): T {
  const el = document.getElementById(id);
  if (!el) throw new Error(`no #${id}`);
  return el as T;
}

const KEYS = ["server", "token", "agent", "model", "user"] as const;

/** Shows the settings, or the conversation. */
function turnTo(settings: boolean): void {
  byId("settings").hidden = !settings;
  byId("chat").hidden = settings;
  byId("open-settings").setAttribute("aria-expanded", String(settings));
  byId(settings ? "server" : "message").focus();
}

async function setUpSettings(): Promise<void> {
  const settings = await loadSettings();
  for (const key of KEYS) byId<HTMLInputElement>(key).value = settings[key];
  byId("open-settings").addEventListener("click", () => {
    turnTo(byId("settings").hidden);
    void listSites(byId("sites"));
  });
  byId("settings").addEventListener("submit", (event) => {
    event.preventDefault();
    void save();
  });
  byId("allow-site").addEventListener("click", () => void allowSite());
  if (!settings.server) turnTo(true);
}

async function allowSite(): Promise<void> {
  const isAllowed = await allowCurrentSite();
  byId("settings-problem").textContent = isAllowed ? "" : t("why_no_access");
  await listSites(byId("sites"));
}

async function save(): Promise<void> {
  const settings: Settings = { ...NO_SETTINGS };
  for (const key of KEYS) settings[key] = byId<HTMLInputElement>(key).value.trim();
  const problem = byId("settings-problem");
  const isBad = serverOf(settings.server) === null;
  byId("server").setAttribute("aria-invalid", String(isBad));
  problem.textContent = isBad ? t("no_answer_bad_server") : "";
  if (isBad) return;
  let mustChoose = false;
  const code = byId<HTMLInputElement>("pairing");
  if (code.value.trim()) {
    const paired = await pair(settings.server, code.value.trim());
    if (typeof paired === "string") {
      problem.replaceChildren(...sentence("pairing_refused", paired));
      return;
    }
    settings.token = paired.token;
    byId<HTMLInputElement>("token").value = paired.token;
    code.value = "";
    mustChoose = offerAgents(paired.agents, settings);
  }
  await saveSettings(settings);
  if (mustChoose) {
    problem.textContent = t("choose_agent");
    byId("agent").focus();
    return;
  }
  turnTo(false);
}

/** Offers the agents of a server, and takes the first where it has none by the name that is set; whether the person is to choose. */
function offerAgents(agents: string[], settings: Settings): boolean {
  byId("agents").replaceChildren(...agents.map((agent) => h("option", { value: agent })));
  const [first] = agents;
  if (first === undefined || agents.includes(settings.agent)) return false;
  settings.agent = first;
  byId<HTMLInputElement>("agent").value = first;
  return agents.length > 1;
}

/** The conversation while this panel has it. */
let chat: Chat | null = null;

/** Shows the conversation, or that the panel of another window has it. */
function turnHere(isHere: boolean): void {
  const message = byId<HTMLTextAreaElement>("message");
  const hadFocus = [document.body, message, byId("use-here")].includes(document.activeElement as HTMLElement);
  byId("elsewhere").hidden = isHere;
  for (const id of ["log", "status", "compose"]) byId(id).hidden = !isHere;
  byId<HTMLButtonElement>("new").disabled = !isHere;
  byId("elsewhere-text").textContent = t("elsewhere");
  if (hadFocus) (isHere ? message : byId("use-here")).focus();
}

function showBusy(busy: boolean): void {
  byId("stop").setAttribute("aria-disabled", String(!busy));
  byId<HTMLButtonElement>("send").disabled = busy;
}

/** Has the conversation, until another panel wants it. */
async function have(view: View, wanted: Promise<void>): Promise<void> {
  const mine = new Chat(await loadConversation(), view, showBusy);
  chat = mine;
  turnHere(true);
  document.body.dataset.ready = "true";
  void mine.resume();
  await wanted;
  // What is being done to its end can be stopped until then.
  await mine.leave();
  chat = null;
  view.clear();
  showBusy(false);
}

function setUpChat(): void {
  const message = byId<HTMLTextAreaElement>("message");
  const submit = () => {
    const text = message.value;
    if (!chat || chat.isBusy || !text.trim()) return;
    message.value = "";
    void chat.send(text);
  };
  byId("compose").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  message.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    submit();
  });
  byId("stop").addEventListener("click", () => chat?.stop());
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing && chat?.isBusy) chat.stop();
  });
  byId("new").addEventListener("click", () => void chat?.clear());
}

async function start(): Promise<void> {
  document.documentElement.lang = t("lang");
  translate(document);
  setUpChat();
  const lending = new Lending({ box: byId("lent"), text: byId("lent-text"), code: byId("lent-code"), lend: byId("lend"), takeBack: byId("take-back") });
  await lending.tidy();
  await setUpSettings();
  const view = new View(byId("log"), byId("status"));
  const turns = new Turns();
  byId("use-here").addEventListener("click", () => {
    byId("elsewhere-text").textContent = t("fetching");
    turns.want();
  });
  const wait = () => {
    turnHere(false);
    document.body.dataset.ready = "true";
  };
  await turns.take((wanted) => have(view, wanted), wait);
}

void start();
