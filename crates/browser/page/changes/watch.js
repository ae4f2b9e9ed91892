// What has been going on in the document, for settling and for receipts.

import { nextFrame } from "../input/aim.js";
import { beginGesture, causedChanges, causesNow, endGesture, hasCaused, isNewCause } from "./cause.js";
import { isAnySetInTurns } from "./controls.js";
import { activeOf, isHiddenDocument, layOut, shadowOf, queryAll, bodyOf, signalOut } from "../dom/dom.js";
import { hasFrames, hasTimers, isAnimatedSince, ownTimer } from "./pending.js";
import { watchForms } from "../input/held.js";
import { numberOf } from "../dom/numbers.js";
import { isScrolling } from "../dom/scroll.js";
import { forgetSituation, noteSituation, pointedAlone, situationChanges } from "./unmutated.js";
import { changeCount, observeRoot, versionNow, whenChanged } from "../dom/version.js";

/** Least time between two signals, ms. */
const SIGNAL_GAP = 30;
let isOn = false;
let lastSignal = -Infinity;
let pending = 0;

/** Turns signalling on or off. @param {boolean} on @param {boolean} [gesture] whether one begins now @param {boolean} [marks] whether its later changes are marked for the browser */
export function watch(on, gesture, marks = false) {
  observeRoot(document);
  for (const el of queryAll(document, "*")) {
    const root = shadowOf(el);
    if (root) observeRoot(root);
  }
  // What was signalled before is no reason to keep quiet about what comes now.
  if (on && !isOn) lastSignal = -Infinity;
  isOn = on;
  if (!on) {
    endGesture();
    forgetSituation();
  } else if (gesture) {
    beginGesture(marks);
    noteSituation();
  }
  watchForms(on);
  whenChanged(on ? signal : null);
}

/** What changed during the gesture, and by itself. */
export const stirred = () => ({ ...causedChanges(situationChanges, pointedAlone), pending: hasTimers() });

/** Signals now, or as soon as the gap is over where it is no news: a change is never kept back for good. */
function signal() {
  if (pending && !isNewCause()) return;
  clearTimeout(pending);
  const wait = lastSignal + SIGNAL_GAP - performance.now();
  if (wait > 0 && !isNewCause()) pending = ownTimer(send, wait);
  else send();
}

function send() {
  pending = 0;
  if (!isOn) return;
  const moved = causesNow();
  if (!moved) return;
  lastSignal = performance.now();
  signalOut({ moved });
}

/** Waits so many ms by this document's own timers: what the page put off for less than that has had its turn. @param {number} ms @returns {Promise<void>} */
export function elapse(ms) {
  return new Promise((resolve) => ownTimer(resolve, ms));
}

/** Once what the page has put off until now has had its turn, and the frame that shows it was handed over: the next one comes after. */
export async function frameDrawn() {
  await elapse(0);
  await nextFrame();
  await nextFrame();
}

/** Whether the gesture's own events have changed something, and whether anything may still come of them, as far as the document can tell. @param {boolean} isDrawn whether it is told once the frame is drawn that shows it */
export async function soFar(isDrawn) {
  if (isDrawn && !isMore()) {
    await elapse(0);
    await nextFrame();
  }
  versionNow();
  return { changed: hasCaused("input") || isAnySetInTurns(), more: isMore() };
}

/** What is hidden draws nothing, and its timers are late. */
const isMore = () => isHiddenDocument(document) || hasCaused("later") || hasTimers() || hasFrames() || isScrolling() || isAnimatedSince();

/** Counts and the state that no mutation tells of. Times in ms of performance.now(), scroll in CSS px. */
export function changes() {
  const active = activeOf();
  // Brought up to date, so that a look that follows does no work of style and layout that would seem a change.
  layOut();
  return {
    ...changeCount(),
    scrolling: isScrolling(),
    now: performance.now(),
    focus: active && active !== bodyOf(document) ? numberOf(active) : null,
    scroll: [scrollX, scrollY],
    selection: String(getSelection() ?? "").slice(0, 500),
  };
}
