// A look of the page script, read: the targets in it. Its form is that of crates/browser/page/capture/codec.js.

import { page } from "./pagescript.js";

/** One target of a look. */
export interface Seen {
  n: number;
  role: string;
  name: string;
  states: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Look {
  hosts: number[];
  terms: string[];
  numbers: number[];
  words: string[];
}

const [NAMED, VALUED, LINKED, TYPED, ROLE_AT] = [4, 8, 32, 64, 128];
const TARGET = 2;

/** Roots in roots are looked for so often. */
const ROOTS_DEEP = 6;

/** A look, closed shadow roots included: they are the browser's to find. */
function lookInside(): Look {
  for (let deep = 0; ; deep++) {
    const told = JSON.parse(page.capture({ text: false })) as Look;
    if (!told.hosts.length || deep === ROOTS_DEEP) return told;
    for (const host of told.hosts) {
      const el = page.element(host);
      page.adoptRoot(host, el instanceof HTMLElement ? chrome.dom.openOrClosedShadowRoot(el) : null);
    }
  }
}

/** Every target that the page script sees in this document, in the order of the document. */
export function look(): Seen[] {
  const told = lookInside();
  const seen: Seen[] = [];
  let last = 0;
  let at = 0;
  let word = 0;
  const next = () => told.numbers[at++] ?? 0;
  while (at < told.numbers.length) {
    const [flags, step, , states] = [next(), next(), next(), next()];
    const [x, y, width, height] = [next() / 100, next() / 100, next() / 100, next() / 100];
    if (flags & TYPED) next();
    const name = flags & NAMED ? (told.words[word++] ?? "") : "";
    if (flags & VALUED) word++;
    if (flags & LINKED) word++;
    const n = step === 0 ? 0 : step > 0 ? last + step : last + step + 1;
    if (n) last = n;
    const role = told.terms[Math.floor(flags / ROLE_AT)] ?? "generic";
    if ((flags & 3) === TARGET && n) seen.push({ n, role, name, states, x, y, width, height });
  }
  return seen;
}
