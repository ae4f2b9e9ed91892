// Meeting handeye: at the port of the code, until it is there. It proves first that it knows the code; only then is the tab
// attached to.

import { addressOf, makeNonce, type Nonces, type PairingCode, proofOf } from "./pairing.js";
import { type Challenge, ENDED, type Hello, type Offer, type Welcome } from "../shared/generated.js";

/** So often it is looked for, and so long at most a meeting takes, ms. */
const [PAUSE, MEETING] = [700, 10_000];

/** What came of an offer: handeye is there; nobody came in time; who came didn't know the code; the browser doesn't let the tab be lent. */
export type Met = { kind: "met"; socket: WebSocket } | { kind: "nobody" } | { kind: "stranger" } | { kind: "refused"; why: string };

/** The tab that is offered. */
export interface Offered {
  attach(): Promise<void>;
  detach(): Promise<void>;
}

/** Looks for handeye until it is there, the time is over, or the person has enough. */
export async function meet(code: PairingCode, tab: Offered, until: number, stop: AbortSignal): Promise<Met> {
  while (!stop.aborted && performance.now() < until) {
    const met = await once(code, tab, stop);
    if (met.kind !== "nobody") return met;
    await new Promise((give) => setTimeout(give, PAUSE));
  }
  return { kind: "nobody" };
}

async function once(code: PairingCode, tab: Offered, stop: AbortSignal): Promise<Met> {
  const socket = new WebSocket(addressOf(code));
  const words = new Words(socket, AbortSignal.any([stop, AbortSignal.timeout(MEETING)]));
  const given = (met: Met): Met => (socket.close(), met);
  if (!(await words.opened())) return given({ kind: "nobody" });
  const nonce = makeNonce();
  socket.send(JSON.stringify({ nonce } satisfies Hello));
  const challenge = (await words.next()) as Partial<Challenge> | null;
  if (!challenge) return given({ kind: "nobody" });
  const nonces: Nonces = { handeye: String(challenge.nonce), extension: nonce };
  if (challenge.proof !== (await proofOf(code, "handeye", nonces))) {
    socket.close(ENDED.mistrusted);
    return { kind: "stranger" };
  }
  const proof = await proofOf(code, "extension", nonces);
  try {
    await tab.attach();
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).slice(0, 200);
    socket.send(JSON.stringify({ proof, refused: why } satisfies Offer));
    return { kind: "refused", why };
  }
  socket.send(JSON.stringify({ proof } satisfies Offer));
  const welcome = (await words.next()) as Partial<Welcome> | null;
  if (welcome?.welcome === true) return { kind: "met", socket };
  await tab.detach();
  return given({ kind: "nobody" });
}

/** What comes over a socket, one by one; null: nothing more. */
class Words {
  private readonly waiting: unknown[] = [];
  private wake: () => void = () => {};
  private isOver = false;
  private isOpen = false;

  constructor(socket: WebSocket, stop: AbortSignal) {
    const over = () => {
      this.isOver = true;
      this.wake();
    };
    socket.addEventListener("open", () => {
      this.isOpen = true;
      this.wake();
    });
    const hear = ({ data }: MessageEvent) => {
      this.waiting.push(parsed(data));
      this.wake();
      // What follows is the protocol's, and heard by the relay.
      if ((this.waiting.at(-1) as Partial<Welcome> | null)?.welcome) socket.removeEventListener("message", hear);
    };
    socket.addEventListener("message", hear);
    socket.addEventListener("close", over);
    socket.addEventListener("error", over);
    stop.addEventListener("abort", over, { once: true });
  }

  async opened(): Promise<boolean> {
    while (!this.isOpen && !this.isOver) await new Promise<void>((wake) => (this.wake = wake));
    return this.isOpen && !this.isOver;
  }

  async next(): Promise<unknown> {
    while (!this.waiting.length && !this.isOver) await new Promise<void>((wake) => (this.wake = wake));
    return this.waiting.shift() ?? null;
  }
}

/** The object that a message holds; null where it holds none. */
export function parsed(data: unknown): Record<string, unknown> | null {
  try {
    const of: unknown = JSON.parse(String(data));
    return typeof of === "object" && of !== null && !Array.isArray(of) ? (of as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
