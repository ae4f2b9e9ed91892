// A page with the frames in it that can be looked into, as one: what is asked of it goes to those documents that it is about.

import type { PageChannel } from "./channel.js";
import type { Call, PageInfo, PageRequest, Preview, Ranked, Reply, Shown, Used } from "../shared/protocol.js";

/** So many elements are told, whatever there is. */
const [TOLD, MORE] = [30, 50];
/** What is in a frame is told after what is as useful in the page itself. */
const FRAME_PENALTY = 10;

interface Part {
  channel: PageChannel;
  ticket: string;
}

/** What a card stands for: a ticket of each document that it is about, and which of them has an action. */
interface Split {
  call: Call;
  parts: Part[];
  places: { part: Part; at: number }[];
}

const GONE: Reply<never> = { ok: false, refusal: "gone" };
const told = <T>(value: T): Reply<T> => ({ ok: true, value });

export class WholePage implements PageChannel {
  private readonly splits = new Map<string, Split>();

  constructor(
    private readonly main: PageChannel,
    private readonly frames: PageChannel[],
  ) {}

  async ask<T>(request: PageRequest): Promise<Reply<T>> {
    return (await this.route(request)) as Reply<T>;
  }

  private async route(request: PageRequest): Promise<Reply<unknown>> {
    switch (request.ask) {
      case "info":
        return this.info(request.about);
      case "preview":
        return this.preview(request.call);
      case "reveal":
      case "step": {
        const place = this.splits.get(request.ticket)?.places[request.at];
        return place ? place.part.channel.ask({ ask: request.ask, ticket: place.part.ticket, at: place.at }) : GONE;
      }
      case "check": {
        const parts = this.splits.get(request.ticket)?.parts ?? [];
        const fresh = await Promise.all(parts.map(({ channel, ticket }) => channel.ask<boolean>({ ask: "check", ticket })));
        return told(fresh.length > 0 && fresh.every((one) => one.ok && one.value));
      }
      case "use":
        return this.use(request.ticket);
      case "drop":
        for (const { channel, ticket } of this.splits.get(request.ticket)?.parts ?? []) await channel.ask({ ask: "drop", ticket });
        return told(this.splits.delete(request.ticket));
      case "stop":
        this.splits.clear();
        return told((await Promise.all(this.all().map((channel) => channel.ask(request)))).length > 0);
      default:
        return this.main.ask(request);
    }
  }

  private all(): PageChannel[] {
    return [this.main, ...this.frames];
  }

  private async info(about: string): Promise<Reply<PageInfo>> {
    const [main, ...frames] = await Promise.all(this.all().map((channel) => channel.ask<Ranked>({ ask: "ranked", about })));
    if (!main?.ok) return GONE;
    const lines = [main, ...frames].flatMap((one, part) => (one.ok ? one.value.info.elements.map((line, at) => ({ line, part, at, score: (one.value.scores[at] ?? 0) - (part ? FRAME_PENALTY : 0) })) : []));
    lines.sort((a, b) => b.score - a.score || a.part - b.part || a.at - b.at);
    const selected = [main, ...frames].map((one) => (one.ok ? one.value.info.selectedText : "")).find(Boolean) ?? "";
    return told({ ...main.value.info, elements: lines.slice(0, TOLD).map(({ line }) => line), selectedText: selected });
  }

  /** Each action goes to the first document that has what it is about; where none has, the page itself says what is wrong. */
  private async preview(call: Call): Promise<Reply<Preview>> {
    const tried: { channel: PageChannel; preview: Preview }[] = [];
    for (const channel of this.all()) {
      const one = await channel.ask<Preview>({ ask: "preview", call });
      if (one.ok) tried.push({ channel, preview: one.value });
      else if (channel === this.main) return one;
    }
    if (call.tool !== "page_action") return told(this.keep({ call, parts: tried.map(({ channel, preview }) => ({ channel, ticket: preview.ticket })), places: [] }, tried[0]?.preview, []));
    for (const { channel, preview } of tried) await channel.ask({ ask: "drop", ticket: preview.ticket });
    const { actions } = call.args;
    const owners = actions.map((_, i) => Math.max(0, tried.findIndex(({ preview }) => !preview.shown[i]?.problem)));
    const parts: Part[] = [];
    const places: Split["places"] = [];
    const shown: Shown[] = [];
    for (const owner of new Set(owners)) {
      const of = actions.flatMap((_, i) => (owners[i] === owner ? [i] : []));
      const channel = tried[owner]?.channel ?? this.main;
      const own: Call = { tool: "page_action", args: { actions: of.flatMap((i) => actions[i] ?? []) } };
      const one = await channel.ask<Preview>({ ask: "preview", call: own, labels: of.map((i) => String(i + 1)) });
      if (!one.ok) return one;
      const part = { channel, ticket: one.value.ticket };
      parts.push(part);
      of.forEach((i, at) => {
        places[i] = { part, at };
        const line = one.value.shown[at];
        if (line) shown[i] = line;
      });
    }
    return told(this.keep({ call, parts, places }, tried[0]?.preview, shown));
  }

  private keep(split: Split, main: Preview | undefined, shown: Shown[]): Preview {
    const ticket = crypto.randomUUID();
    this.splits.set(ticket, split);
    return { ticket, url: main?.url ?? "", title: main?.title ?? "", shown };
  }

  /** A tool of the whole page. */
  private async use(name: string): Promise<Reply<Used>> {
    const split = this.splits.get(name);
    this.splits.delete(name);
    if (!split) return GONE;
    const all = await Promise.all(split.parts.map(({ channel, ticket }) => channel.ask<Used>({ ask: "use", ticket })));
    const [main] = all;
    if (!main?.ok) return GONE;
    const used = all.flatMap((one) => (one.ok ? [one.value] : []));
    switch (split.call.tool) {
      case "request_more_elements": {
        const elements = used.flatMap((one) => one.elements ?? []);
        return told({ ...main.value, elements: elements.slice(0, MORE), count: used.reduce((sum, one) => sum + (one.count ?? 0), 0) + Math.max(0, elements.length - MORE) });
      }
      case "clear_ai_styles":
        return told({ ...main.value, count: used.reduce((sum, one) => sum + (one.count ?? 0), 0) });
      default:
        return told(used.find((one) => one.success) ?? main.value);
    }
  }
}
