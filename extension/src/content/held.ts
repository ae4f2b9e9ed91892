// What an element is held to: what a person was shown of it. The page script compares, inside each event (input/guard.js).

import { saying } from "./ids.js";
import { folded, page, type Facts, type Held, type Spec } from "./pagescript.js";

/** One text, all of it. */
const exactly = (text: string) => ({ pieces: [folded(text)], gaps: [] });

export function heldOf(facts: Facts): Held {
  const texts: Held["texts"] = [["name", exactly(facts.name)]];
  if (facts.said && !facts.said.cut) texts.push(["said", exactly(facts.said.text)]);
  if (facts.hint) texts.push(["hint", exactly(facts.hint)]);
  return { role: facts.role, texts, leads: facts.leads, own: null, choices: [] };
}

export const specOf = (mode: Spec["mode"], facts: Facts): Spec => ({ mode, target: facts.n, held: heldOf(facts) });

/** What was shown of an element, to tell whether it still is that. */
export interface Print {
  n: number;
  role: string;
  said: string;
  leads: string;
  row: string;
}

export const printOf = (facts: Facts): Print => ({ n: facts.n, role: facts.role, said: saying(facts), leads: JSON.stringify(facts.leads), row: rowOf(facts) });

/** What stands beside it, where others have its name. */
function rowOf(facts: Facts): string {
  const { row } = facts as { row?: { text?: string } | null };
  return row?.text ? folded(row.text) : "";
}

/** Its facts now, if it is what it was. */
export function same(print: Print): Facts | null {
  const facts = page.facts(print.n);
  if (!facts) return null;
  const now = printOf(facts);
  return now.role === print.role && now.said === print.said && now.leads === print.leads && now.row === print.row ? facts : null;
}
