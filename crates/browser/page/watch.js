// What has been going on in the document, for settling and for receipts.

import { activeOf, shadowOf, queryAll } from "./dom.js";
import { numberOf } from "./numbers.js";
import { changeCount, observeRoot, whenChanged } from "./version.js";

/** Least time between two signals, ms. */
const SIGNAL_GAP = 30;
let lastSignal = 0;

/** Turns signalling on or off. @param {boolean} on */
export function watch(on) {
  observeRoot(document);
  for (const el of queryAll(document, "*")) {
    const root = shadowOf(el);
    if (root) observeRoot(root);
  }
  whenChanged(on ? signal : null);
}

function signal() {
  const now = performance.now();
  if (now - lastSignal < SIGNAL_GAP) return;
  lastSignal = now;
  /** @type {any} */ (globalThis).handeyeSignal?.("changed");
}

/** Counts and the state that no mutation tells of. Times in ms of performance.now(), scroll in CSS px. */
export function changes() {
  const active = activeOf();
  return {
    ...changeCount(),
    now: performance.now(),
    focus: active && active !== document.body ? numberOf(active) : null,
    scroll: [scrollX, scrollY],
    selection: String(getSelection() ?? "").slice(0, 500),
  };
}
