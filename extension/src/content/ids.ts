// Ids of elements: `e_<time>_<random>`, each bound to one element of this document and to what was told of it. An id whose
// element is gone, or says something else by now, names nothing.

import { describe } from "./describe.js";
import { folded, page, type Facts } from "./pagescript.js";

/** So many ids are known; the oldest are forgotten, and name nothing then. */
const KNOWN_MAX = 5000;

interface Known {
  n: number;
  role: string;
  said: string;
}

const known = new Map<string, Known>();
const given = new Map<number, string>();

/** What an element is known by: what a person reads in it, and what a counter in brackets says is no part of that. */
export const saying = (facts: Facts): string => folded(`${facts.name}\n${facts.said?.text ?? ""}\n${facts.hint ?? ""}`).replace(/[([【〔] ?\p{Nd}[\p{Nd}.,]*\+? ?[)\]】〕]/gu, "()");

/** The id of an element as it is now, and how it is described. */
export function lineOf(n: number, facts: Facts): { id: string; desc: string } {
  const said = saying(facts);
  const before = given.get(n);
  const same = before === undefined ? undefined : known.get(before);
  const desc = describe(n, facts);
  if (before !== undefined && same && same.said === said && same.role === facts.role) return { id: before, desc };
  const id = `e_${Math.floor(Date.now() / 1000)}_${random()}`;
  known.set(id, { n, role: facts.role, said });
  given.set(n, id);
  if (known.size > KNOWN_MAX) forgetOldest();
  return { id, desc };
}

function forgetOldest(): void {
  for (const [id, { n }] of known) {
    known.delete(id);
    if (given.get(n) === id) given.delete(n);
    return;
  }
}

/** Six letters and digits that can't be guessed. */
function random(): string {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  return [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => letters[byte % letters.length]).join("");
}

/** The element of an id: its number and its facts now; else why it names none. */
export function named(id: string): { n: number; facts: Facts } | "unknown" | "changed" {
  const one = known.get(id);
  const facts = one ? page.facts(one.n) : null;
  if (!one || !facts) return "unknown";
  return facts.role === one.role && saying(facts) === one.said ? { n: one.n, facts } : "changed";
}
