// capture(): the walk, written out as the arrays Rust reads.

import { activeOf, documentElementOf, isConnected, readyStateOf, scrollingElementOf, titleOf, isChecked, rectOf } from "./dom.js";
import { newLook } from "./look.js";
import { elementOf, numberOf } from "./numbers.js";
import { isVeiled, veilOf } from "./place.js";
import { COVERED } from "./states.js";
import { tellRows } from "./rows.js";
import { observeRoot, versionNow } from "./version.js";
import { visit, flushRun } from "./walk.js";

/** Whether this script ran before any of the page's. */
export const atStart = document.readyState === "loading" && !document.body;
/** How often a host was reported; not again after that, answered or not. @type {WeakMap<Element, number>} */
const asked = new WeakMap();
const ASK_LIMIT = 2;

/**
 * One look at the document, as JSON.
 * @param {{detail?: boolean, text?: boolean, all?: boolean, scope?: number | null}} [want] all: runs of text carry the number of the element that holds them @returns {string}
 */
export function capture({ detail = false, text = true, all = false, scope = null } = {}) {
  observeRoot(document);
  /** @type {import("./walk.js").Walk} */
  const walk = { entries: [], look: newLook(), options: { detail, text, paths: new Map() }, run: null, active: activeOf(), hosts: [], covered: 0, tree: document };
  const root = scope ? elementOf(scope) : documentElementOf(document);
  if (root && isConnected(root)) {
    visit(walk, root, { index: -1, said: "", pointer: false, control: false, quiet: false, editable: false, bits: 0 });
    flushRun(walk);
  }
  if (walk.covered > 0) drawVeil(walk);
  tellRows(walk.entries, walk.look);
  const page = scrollingElementOf(document) ?? documentElementOf(document);
  return JSON.stringify({
    url: location.href,
    title: titleOf(document),
    lang: documentElementOf(document)?.getAttribute("lang") ?? "",
    width: innerWidth,
    height: innerHeight,
    scrollX,
    scrollY,
    pageWidth: page?.scrollWidth ?? innerWidth,
    pageHeight: page?.scrollHeight ?? innerHeight,
    ready: readyStateOf(document),
    version: versionNow(),
    atStart,
    hosts: walk.hosts.filter(isNewHost).map(numberOf),
    nodes: rows(walk.entries, all),
  });
}

/** Whether a host may have a closed root that nobody has looked for yet. @param {Element} el */
function isNewHost(el) {
  const times = asked.get(el) ?? 0;
  if (times >= ASK_LIMIT || isChecked(el) || !el.matches(":defined")) return false;
  const rect = rectOf(el);
  if (rect.width < 4 || rect.height < 4) return false;
  asked.set(el, times + 1);
  return true;
}

/** Marks what stands behind a modal layer as covered, wherever it is. @param {import("./walk.js").Walk} walk */
function drawVeil(walk) {
  const veil = veilOf(walk.look);
  if (!veil.length) return;
  for (const entry of walk.entries) if (entry.el && isVeiled(entry.el, veil)) entry.states |= COVERED;
}

/** The arrays of the contract, dropped entries left out. @param {import("./walk.js").Entry[]} entries @param {boolean} all */
function rows(entries, all) {
  /** @type {number[]} */
  const places = [];
  const out = [];
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i];
    const parent = entry.parent < 0 ? -1 : places[entry.parent];
    if (entry.dropped) {
      places.push(parent);
      continue;
    }
    places.push(out.length);
    const { rect } = entry;
    const n = (entry.kind === 0 && !all) || !entry.el ? 0 : numberOf(entry.el);
    const row = [n, parent, entry.kind, entry.role, entry.name, entry.value, entry.states, hundredth(rect?.x), hundredth(rect?.y), hundredth(rect?.width), hundredth(rect?.height)];
    if (entry.extra) row.push(/** @type {any} */ (entry.extra));
    out.push(row);
  }
  return out;
}

/** @param {number | undefined} px */
const hundredth = (px) => (px === undefined ? 0 : Math.round(px * 100) / 100);
