// Runs of text that the walk comes by: put together, and listed.

import { isSelfChanging } from "../changes/cause.js";
import { firstChildOf, nextSiblingOf, tagOf } from "../dom/dom.js";
import { sheetsIn } from "../dom/look.js";
import { NOT } from "../capture/operable.js";
import { LEAST_SIDE } from "../dom/place.js";
import { noteOwner } from "./owners.js";
import { wholeText } from "./said.js";
import { isReadable, isSaidIn, isSameSaid, runRect, runText, textStates } from "./text.js";
import { presenceOf, SEEN } from "../dom/visible.js";

/** @typedef {import("../capture/walk.js").Walk} Walk */
/** @typedef {import("../capture/walk.js").Above} Above */
/** @typedef {import("./text.js").Run} Run */

/** Taken for rendered until something in them asks: there may be thousands, and what is in a hidden one says so itself. */
export const TABLE_PARTS = new Set(["tbody", "thead", "tfoot", "tr", "td", "th"]);

/** @param {Walk} walk @param {Element} owner @param {Text} node @param {Above} below */
export function addText(walk, owner, node, below) {
  const text = node.data;
  const run = walk.run;
  if (below.quiet) return;
  if (run && run.parent === below.index && isSameSaid(run.said, below.said)) {
    run.text += text;
    if (isReadable(text)) run.last = node;
    noteOwner(run.owner, owner);
    return;
  }
  if (!isReadable(text)) return;
  flushRun(walk);
  if (TABLE_PARTS.has(tagOf(owner)) && presenceOf(owner) !== SEEN) return;
  walk.run = { text, first: node, last: node, owner, parent: below.index, said: below.said };
}

/** What the element of a run says altogether, where that is more than the run. @param {Walk} walk @param {Run} run @param {string} text @returns {Record<string, any> | null} */
function wholeOf(walk, { owner, first }, text) {
  const isAll = firstChildOf(owner) === first && !nextSiblingOf(first) && tagOf(owner) !== "li" && !sheetsIn(walk.look, owner, walk.tree).pseudo;
  if (isAll) return isSelfChanging(owner, walk.look) ? { selfChanging: true } : null;
  const said = wholeText(owner, walk.look);
  const extra = isSelfChanging(owner, walk.look) ? { selfChanging: true } : null;
  return isSameSaid(said.text, text) && !said.cut ? extra : { ...extra, said };
}

/** Ends the current run of text and lists it unless it is already said. @param {Walk} walk */
export function flushRun(walk) {
  const run = walk.run;
  if (!run) return;
  walk.run = null;
  const text = runText(run, sheetsIn(walk.look, run.owner, walk.tree).transform);
  if (!isReadable(text) || (run.said && isSaidIn(run.said, text))) return;
  const rect = runRect(run);
  // Text of no size is read only where it is all that a target has (an arrow drawn by CSS over a glyph).
  if ((rect.width < LEAST_SIDE || rect.height < LEAST_SIDE) && !(run.parent >= 0 && walk.entries[run.parent].kind === 2)) return;
  walk.entries.push({ el: run.owner, parent: run.parent, kind: 0, role: "text", name: text, value: null, states: textStates(rect, walk.look.view), rect, extra: wholeOf(walk, run, text), dropped: false, sure: NOT, by: "", key: "", was: -1, moved: null });
}
