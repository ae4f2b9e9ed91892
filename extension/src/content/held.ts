// What an element is held to: what was told or shown of it. The page script compares the same, inside each event (input/guard.js).

import { withoutCounters } from "./counters.js";
import { folded, page, type Facts, type Held, type Row, type Spec } from "./pagescript.js";

/** One text, all of it. */
const exactly = (text: string) => ({ pieces: [folded(text)], gaps: [] });

export function heldOf(facts: Facts): Held {
  const texts: Held["texts"] = [["name", exactly(facts.name)]];
  if (facts.said && !facts.said.cut) texts.push(["said", exactly(facts.said.text)]);
  if (facts.hint) texts.push(["hint", exactly(facts.hint)]);
  const row = rowOf(facts);
  return { role: facts.role, texts, leads: facts.leads, own: null, choices: [], row: row && { text: exactly(row.text), place: row.place } };
}

export const specOf = (mode: Spec["mode"], facts: Facts): Spec => ({ mode, target: facts.n, held: heldOf(facts) });

/** What an element is, to tell whether it still is that. */
export interface Print {
  n: number;
  role: string;
  said: string[];
  leads: string;
  row: Row | null;
}

/** What a person reads in an element. */
const saying = (facts: Facts): string[] => [facts.name, facts.said?.text ?? "", facts.hint ?? ""].map(folded);

export const printOf = (facts: Facts): Print => ({ n: facts.n, role: facts.role, said: saying(facts), leads: JSON.stringify(facts.leads), row: rowOf(facts) });

/** What stands beside it, by which it is told from others of its name, and where that stands in its row. */
function rowOf({ row, rowTexts }: Facts): Row | null {
  if (!row) return null;
  const text = folded(row.text);
  return { text, place: [rowTexts.findIndex((one) => folded(one) === text), rowTexts.length] };
}

/** Whether an element is what it was, to the digit. */
export const isSame = (print: Print, facts: Facts): boolean => agrees(print, facts, (text) => text);

/** The same, but that counters in brackets may have gone on: so long its id names it. What is approved is held to all digits. */
export const keepsId = (print: Print, facts: Facts): boolean => agrees(print, facts, withoutCounters);

function agrees(print: Print, facts: Facts, read: (text: string) => string): boolean {
  const now = printOf(facts);
  const says = now.said.every((text, i) => read(text) === read(print.said[i] ?? ""));
  return says && now.role === print.role && now.leads === print.leads && keepsRow(print.row, facts);
}

/** Whether its row still says what it is about: in the same place, while the row says as much as it did. */
function keepsRow(row: Row | null, { row: now, rowTexts }: Facts): boolean {
  if (!row || !now) return row === null && now === null;
  const [place, count] = row.place;
  const among = rowTexts.length === count ? rowTexts.slice(place, place + 1) : rowTexts;
  return among.some((text) => folded(text) === row.text);
}

/** Its facts now, if it is what it was. */
export function same(print: Print): Facts | null {
  const facts = page.facts(print.n);
  return facts && isSame(print, facts) ? facts : null;
}

/** It as a text, for who can't ask the page. */
export const textOf = ({ role, said, leads, row }: Print): string => JSON.stringify([role, said, leads, row?.text ?? null]);
