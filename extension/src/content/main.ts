// The extension's part in a page: answers the panel, by way of the background. It does nothing of itself, hears nothing of the
// page, and acts only by the ticket of a card.

import { isAsShown, plan, step, type Planned } from "./batch.js";
import { isShownHere } from "./frames.js";
import { random } from "./ids.js";
import { hide, show } from "./show.js";
import { moreElements } from "./more.js";
import { page, titleNow } from "./pagescript.js";
import { elements } from "./rank.js";
import { selectedText } from "./selection.js";
import { stopAll } from "./stopping.js";
import { clearStyles } from "./styles.js";
import { placeOf, STALE } from "../shared/wire.js";
import { PAGE_CALLS, type Call, type PageInfo, type PageRequest, type Preview, type Ranked, type Step, type Used } from "../shared/protocol.js";

/** Pending cards; the oldest are dropped. */
const TICKETS_MAX = 20;
/** So long a card may wait, ms: as long as the server does. */
const TICKET_LIFE = 600_000;
/** More of them nobody reads, and no server takes, characters. */
const [ADDRESS_MAX, TITLE_MAX] = [4000, 500];

interface Ticket {
  call: Call;
  planned: Planned[];
  /** The action that comes next. */
  next: number;
  /** Where the page was, and when. */
  place: string;
  since: number;
}

/** What tells this document from every other, also from the next one at its address. */
const DOCUMENT = random(24);

const tickets = new Map<string, Ticket>();

/** A page may show something else under another address in the same document, also where that differs by its fragment alone. */
const placeNow = (): string => placeOf(location.href);

/** Whether everything is where and what it was on the card. */
const isFresh = (ticket: Ticket | undefined): ticket is Ticket => ticket !== undefined && performance.now() - ticket.since < TICKET_LIFE && ticket.place === placeNow() && isAsShown(ticket.planned);

function ranked(about: string): Ranked {
  const told = elements(about);
  const info: PageInfo = { url: location.href.slice(0, ADDRESS_MAX), title: titleNow().slice(0, TITLE_MAX), elements: told.map(({ line }) => line), selectedText: selectedText(), document: DOCUMENT };
  return { info, scores: told.map(({ score }) => score) };
}

function preview(call: Call, labels?: string[]): Preview {
  const { planned, shown, marked } = call.tool === "page_action" ? plan(call.args.actions, labels) : { planned: [], shown: [], marked: [] };
  const ticket = random(24);
  tickets.set(ticket, { call, planned, next: 0, place: placeNow(), since: performance.now() });
  for (const old of [...tickets.keys()].slice(0, -TICKETS_MAX)) tickets.delete(old);
  show(marked);
  return { ticket, url: location.href.slice(0, ADDRESS_MAX), title: titleNow().slice(0, TITLE_MAX), shown };
}

/** Brings the element of an action into view, for the person to see. */
async function reveal(ticket: string, at: number): Promise<boolean> {
  const meant = tickets.get(ticket)?.planned[at]?.meant;
  return meant?.kind === "element" && (await page.aim(meant.print.n)) !== null;
}

/** Does one action of a batch, each once and in order: by what was shown, or not at all. */
async function stepOf(name: string, at: number): Promise<Step> {
  const ticket = tickets.get(name);
  if (!ticket || ticket.next !== at || (at === 0 && !isFresh(ticket))) return { stale: true };
  ticket.next++;
  hide();
  const done = await step(ticket.planned, at);
  if (done.stale || !done.result.success || ticket.next === ticket.planned.length) tickets.delete(name);
  return done;
}

/** Uses a tool that isn't a batch of actions, once. */
function use(name: string): Used {
  const ticket = tickets.get(name);
  tickets.delete(name);
  if (!isFresh(ticket)) return { success: false, error: STALE };
  const { call } = ticket;
  switch (call.tool) {
    case "request_more_elements":
      return moreElements(call.args);
    case "get_selected_text": {
      const text = selectedText();
      return text ? { success: true, text } : { success: false, error: "没有选中的文字" };
    }
    case "clear_ai_styles":
      return { success: true, count: clearStyles() };
    default:
      return { success: false, error: STALE };
  }
}

function answer(request: PageRequest): unknown {
  switch (request.ask) {
    case "seen":
      return isShownHere();
    case "info":
      return ranked(request.about).info;
    case "ranked":
      return ranked(request.about);
    case "preview":
      return preview(request.call, request.labels);
    case "reveal":
      return reveal(request.ticket, request.at);
    case "drop":
      if (tickets.delete(request.ticket)) hide();
      return true;
    case "check":
      return isFresh(tickets.get(request.ticket));
    case "step":
      return stepOf(request.ticket, request.at);
    case "use":
      return use(request.ticket);
    case "stop":
      stopAll();
      tickets.clear();
      hide();
      return true;
    case "page":
      return PAGE_CALLS.includes(request.name) ? (page[request.name] as (...args: unknown[]) => unknown)(...request.args) : null;
  }
}

/** Whether a message is our background's own: it alone looks at who asked. */
const isOurs = (sender: chrome.runtime.MessageSender): boolean => sender.id === chrome.runtime.id && sender.tab === undefined;

// Put into a page again, the first stays.
const MARK = "handeyeExtension";
if (!Object.hasOwn(globalThis, MARK)) {
  Object.defineProperty(globalThis, MARK, { value: true });
  chrome.runtime.onMessage.addListener((message, sender, reply) => {
    if (!isOurs(sender)) return false;
    Promise.resolve()
      .then(() => answer(message as PageRequest))
      .then(
        (value) => reply({ ok: true, value: value ?? null }),
        () => reply({ ok: false, refusal: "malformed" }),
      );
    return true;
  });
}
