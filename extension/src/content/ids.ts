// Ids of elements: `e_<time>_<random>`, each bound to one element of this document and to what it was when it was told. An id whose
// element is gone, or says something else but for counters, leads elsewhere or stands in another row by now, names nothing.

import { describe } from "./describe.js";
import { keepsId, printOf, textOf, type Print } from "./held.js";
import { page, type Facts } from "./pagescript.js";
import type { Told } from "../shared/protocol.js";

/** So many ids are known; the oldest are forgotten, and name nothing then. */
const KNOWN_MAX = 5000;

const known = new Map<string, Print>();
const given = new Map<number, string>();

/** The id of an element as it is now, how it is described, and what it is held to. */
export function lineOf(n: number, facts: Facts): Told {
  const before = given.get(n);
  const print = before === undefined ? undefined : known.get(before);
  const desc = describe(n, facts);
  const now = printOf(facts);
  // Its counters may have gone on: what the server is told is what it says now.
  if (before !== undefined && print && keepsId(print, facts)) return { id: before, desc, print: textOf(now) };
  const id = `e_${Math.floor(Date.now() / 1000)}_${random(6)}`;
  known.set(id, now);
  given.set(n, id);
  if (known.size > KNOWN_MAX) forgetOldest();
  return { id, desc, print: textOf(now) };
}

function forgetOldest(): void {
  for (const [id, { n }] of known) {
    known.delete(id);
    if (given.get(n) === id) given.delete(n);
    return;
  }
}

/** So many letters and digits that can't be guessed. Pages without TLS have no `crypto.randomUUID`. */
export function random(count: number): string {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return [...crypto.getRandomValues(new Uint8Array(count))].map((byte) => letters[byte % letters.length]).join("");
}

/** The element of an id: its number and its facts now; else why it names none. */
export function named(id: string): { n: number; facts: Facts } | "unknown" | "changed" {
  const print = known.get(id);
  const facts = print ? page.facts(print.n) : null;
  if (!print || !facts) return "unknown";
  return keepsId(print, facts) ? { n: print.n, facts } : "changed";
}
