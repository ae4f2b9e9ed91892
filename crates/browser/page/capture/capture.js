// capture(): the walk, written out as the arrays Rust reads.

import { activeOf, closestOf, documentElementOf, flatHolds, flatParentOf, isConnected, readyStateOf, scrollingElementOf, titleOf, isChecked, rectOf, bodyOf, langOf, scrollWidthOf, scrollHeightOf, isMatch } from "../dom/dom.js";
import { compareWithNow } from "../changes/beforehand.js";
import { showControls } from "../changes/controls.js";
import { isLookKept, keepLook, keptToken, lookBefore } from "./cache.js";
import { newLook } from "../dom/look.js";
import { elementOf, numberOf, releaseGone } from "../dom/numbers.js";
import { packed, toldOf } from "./codec.js";
import { nextLook } from "./subtree-cache.js";
import { tableRole } from "../names/roles.js";
import { isVeiled, veilOf } from "../dom/place.js";
import { flushRun } from "../text/runs.js";
import { COVERED } from "../names/states.js";
import { listsOfAlike, rowsAmong, tellRows } from "./rows.js";
import { observeRoot, versionNow } from "../dom/version.js";
import { visit } from "./walk.js";

/** Whether this script ran before any of the page's. */
export const atStart = readyStateOf(document) === "loading" && !bodyOf(document);
/** How often a host was reported; not again after that, answered or not. @type {WeakMap<Element, number>} */
const asked = new WeakMap();
const ASK_LIMIT = 2;
/** The version whose lost elements were let go. */
let tidied = 0;
/**
 * The controls that the last look at the whole document listed, if it left out rows.
 * @type {{version: number, alike: import("./walk.js").Entry[][]} | null}
 */
let listed = null;
/** The last look that was kept. @type {import("./codec.js").Told | null} */
let lastTold = null;
/** Whether anybody has looked. */
let isLookedAt = false;

/**
 * One look at the document, as JSON.
 * @param {{detail?: boolean, text?: boolean, rows?: boolean, scope?: number | null, until?: number | null, kept?: number, whole?: boolean, ahead?: boolean, compared?: boolean}} [want] rows: of every control that shares its name, wherever it is; until: what holds both scope and it; kept: the token of a look of which nothing needs telling again that still holds; whole: nor all of it, if all holds; ahead: nobody has asked for it; compared: a gesture will be compared with it @returns {string}
 */
export function capture({ detail = false, text = true, rows = false, scope = null, until = null, kept = 0, whole = true, ahead = false, compared = false } = {}) {
  if (ahead && isLookedAt) return "";
  isLookedAt ||= !ahead;
  observeRoot(document);
  if (compared) {
    versionNow();
    compareWithNow();
  } else if (!ahead) showControls();
  const want = `${detail} ${text} ${rows}`;
  if (kept && whole && !scope && isLookKept(kept, want)) return JSON.stringify({ kept });
  if (tidied !== versionNow()) {
    tidied = versionNow();
    releaseGone();
  }
  // What the other side still has needn't be told again.
  const taken = kept && !scope && kept === keptToken() ? lookBefore(want) : 0;
  const base = taken ? lastTold : null;
  /** @type {import("./walk.js").Walk} */
  const walk = { entries: [], look: newLook(), options: { detail, text, paths: new Map() }, run: null, active: activeOf(), hosts: [], covered: 0, tree: document, shadows: false, number: scope || detail ? 0 : nextLook(), taken, before: base?.entries ?? [] };
  const root = !scope ? documentElementOf(document) : until ? holderOf(elementOf(scope), elementOf(until)) : elementOf(scope);
  if (root && isConnected(root)) {
    visit(walk, root, { index: -1, said: "", pointer: false, control: false, quiet: false, editable: false, bits: 0, label: closestOf(root, "label") !== null, item: true, table: closestOf(root, "table") !== null && tableRole(root) === "table" });
    flushRun(walk);
  }
  const isVeiledNow = walk.covered > 0 && drawVeil(walk);
  const alike = listsOfAlike(walk.entries);
  const rowsLeft = tellRows(alike, walk.look, rows || scope !== null);
  if (!scope) listed = rowsLeft ? { version: versionNow(), alike } : null;
  const page = scrollingElementOf(document) ?? documentElementOf(document);
  // A look that nobody asked for tells nobody of them, but gives them the numbers that they would have got.
  const newHosts = (ahead ? walk.hosts : walk.hosts.filter(isNewHost)).map(numberOf);
  const hosts = ahead ? [] : newHosts;
  const token = scope ? 0 : keepLook(want, !walk.shadows && !hosts.length, isVeiledNow ? 0 : walk.number);
  const { places, ...nodes } = packed(walk.entries, walk.look.address, base);
  if (!scope) lastTold = token ? toldOf(walk.entries, places) : null;
  return JSON.stringify({
    token,
    base: base ? kept : 0,
    url: location.href,
    title: titleOf(document),
    lang: langOf(document),
    width: innerWidth,
    height: innerHeight,
    scale: devicePixelRatio,
    scrollX,
    scrollY,
    pageWidth: page ? scrollWidthOf(page) : innerWidth,
    pageHeight: page ? scrollHeightOf(page) : innerHeight,
    ready: readyStateOf(document),
    version: versionNow(),
    atStart,
    hosts,
    rowsLeft,
    address: walk.look.address,
    ...nodes,
  });
}

/**
 * What the rows of some elements are about, that the last look left out: number and label of each that has one. Null: the
 * document is another by now.
 * @param {number[]} numbers @returns {[number, import("./rows.js").RowLabel][] | null}
 */
export function rowsOf(numbers) {
  if (!listed || listed.version !== versionNow()) return null;
  const wanted = new Set(numbers.map(elementOf).filter((el) => el !== null));
  return rowsAmong(listed.alike, wanted).map(([el, row]) => [numberOf(el), row]);
}

/** The innermost element that holds two; null when one of them is gone. @param {Element | null} a @param {Element | null} b @returns {Element | null} */
function holderOf(a, b) {
  if (!a || !b || !isConnected(a) || !isConnected(b)) return null;
  for (let at = /** @type {Element | null} */ (a); at; at = flatParentOf(at)) if (flatHolds(at, b)) return at;
  return null;
}

/** Whether a host may have a closed root that nobody has looked for yet. @param {Element} el */
function isNewHost(el) {
  const times = asked.get(el) ?? 0;
  if (times >= ASK_LIMIT || isChecked(el) || !isMatch(el, ":defined")) return false;
  const rect = rectOf(el);
  if (rect.width < 4 || rect.height < 4) return false;
  asked.set(el, times + 1);
  return true;
}

/** Marks what stands behind a modal layer as covered, wherever it is; whether there is one. @param {import("./walk.js").Walk} walk */
function drawVeil(walk) {
  const veil = veilOf(walk.look);
  if (!veil.length) return false;
  for (const entry of walk.entries) if (entry.el && isVeiled(entry.el, veil)) entry.states |= COVERED;
  return true;
}
