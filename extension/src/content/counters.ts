// Counters in brackets, which may go on without their element's being another. The rule is the engine's (volatile.rs), and so are the patterns.

import { COUNTERS } from "../shared/generated.js";

const FIND = new RegExp(COUNTERS.find, "gu");
const MONEY_BEFORE = new RegExp(COUNTERS.moneyBefore, "u");
const MONEY_AFTER = new RegExp(COUNTERS.moneyAfter, "u");
/** What tells an element: no number, and no mark. */
const TELLING = /[^\p{N}\s!-/:-@[-`{-~【】〔〕·•–—…]/u;

/** A folded text without what its counters say; as it stands where they are money, or all that tells it. */
export function withoutCounters(text: string): string {
  const found = [...text.matchAll(FIND)].filter((one) => !isBesideMoney(text, one));
  if (found.length > COUNTERS.most) return text;
  let [without, from] = ["", 0];
  for (const { index, 0: all } of found) {
    without += `${text.slice(from, index)}()`;
    from = index + all.length;
  }
  without += text.slice(from);
  return TELLING.test(without) ? without : text;
}

function isBesideMoney(text: string, { index, 0: all, 1: count = "" }: RegExpExecArray): boolean {
  const at = index + all.indexOf(count);
  const after = MONEY_AFTER.exec(text.slice(at + count.length));
  return MONEY_BEFORE.test(text.slice(0, at)) || (after !== null && after[1] === undefined);
}
