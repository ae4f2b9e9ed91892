// Which of a page's elements are told: those that a person would most likely use for what was asked, of what is in view.

import { describe, mentions } from "./describe.js";
import { lineOf } from "./ids.js";
import { look, type Seen } from "./look.js";
import { folded, page, STATE, type Facts } from "./pagescript.js";
import type { Told } from "../shared/protocol.js";

/** So many are told, as the server's side expects. */
export const TOLD = 30;
/** So many are looked at more closely, by their first rank. */
const CLOSER = 120;
/** Words of a request that are looked for. */
const WORDS_MAX = 40;
/** What a request names is worth as much as to be in view. */
const ASKED = 40;

const FIELDS = new Set(["textbox", "searchbox", "combobox", "spinbutton", "listbox", "slider"]);
const SWITCHES = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);
const BUTTONS = new Set(["button", "tab", "menuitem", "option"]);

/** How useful a target is by what a look tells of it; higher comes first. */
export function rank(seen: Seen, view: { width: number; height: number }): number {
  let score = FIELDS.has(seen.role) ? 40 : SWITCHES.has(seen.role) ? 28 : BUTTONS.has(seen.role) ? 26 : seen.role === "link" ? 12 : 6;
  if (!seen.name && !FIELDS.has(seen.role)) score -= 20;
  if (seen.states & STATE.disabled) score -= 15;
  if (seen.states & STATE.covered) score -= 60;
  if (seen.states & STATE.hidden) score -= 20;
  if (seen.states & STATE.focused) score += 20;
  const isIn = seen.x + seen.width > 0 && seen.y + seen.height > 0 && seen.x < view.width && seen.y < view.height && !(seen.states & STATE.offscreen);
  if (isIn) return score + 40;
  const away = seen.y >= view.height ? seen.y - view.height : -(seen.y + seen.height);
  return score - Math.min(20, Math.max(0, away) / 200);
}

/** Words and pairs of characters that a request has. */
export function wordsOf(about: string): string[] {
  const text = folded(about).slice(0, 2000);
  const latin = text.match(/[a-z0-9]{2,}/g) ?? [];
  const han = [...text.matchAll(/\p{Script=Han}+/gu)].flatMap(([run]) => [...run].slice(1).map((c, i) => [...run][i] + c));
  return [...new Set([...latin, ...han])].slice(0, WORDS_MAX);
}

/** The elements of the page as it is now, the most useful first. */
export function elements(about: string, most = TOLD): { line: Told; score: number }[] {
  const view = { width: innerWidth, height: innerHeight };
  const words = wordsOf(about);
  const ranked = look().map((seen, at) => ({ seen, at, score: rank(seen, view) + (words.some((word) => folded(seen.name).includes(word)) ? ASKED : 0) }));
  ranked.sort((a, b) => b.score - a.score || a.at - b.at);
  const told = new Map<string, number>();
  const lines: { line: Told; score: number; at: number }[] = [];
  for (const { seen, at, score } of ranked.slice(0, CLOSER)) {
    const facts = page.facts(seen.n);
    if (!facts) continue;
    // Of many that read alike the first few are enough.
    const alike = told.get(describe(seen.n, facts)) ?? 0;
    told.set(describe(seen.n, facts), alike + 1);
    const asked = words.filter((word) => mentions(facts, word)).length;
    lines.push({ line: lineOf(seen.n, facts), score: score + Math.min(asked, 3) * ASKED * 0.75 - Math.max(0, alike - 1) * 10, at });
  }
  lines.sort((a, b) => b.score - a.score || a.at - b.at);
  return lines.slice(0, most);
}

/** Whether an element is of a type that was asked for. */
export function isOfType(facts: Facts, type: string): boolean {
  switch (type) {
    case "input":
      return FIELDS.has(facts.role) && facts.tag !== "select" ? true : facts.editable || SWITCHES.has(facts.role) || facts.type === "file";
    case "button":
      return BUTTONS.has(facts.role) && facts.role !== "option";
    case "link":
      return facts.role === "link";
    case "select":
      return facts.tag === "select" || facts.role === "listbox" || (facts.role === "combobox" && !facts.editable);
    default:
      return true;
  }
}
