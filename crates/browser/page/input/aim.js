// aim(): makes an element ready for a gesture and finds the point for it.

import { ownFrame, ownTimer } from "../changes/pending.js";
import { answerInFrame } from "../changes/unmutated.js";
import { boxOf } from "../dom/areas.js";
import { bringIntoView, closestOf, flatParentOf, isConnected, isHiddenDocument, scrollingElementOf, tagOf, overflows, scrollElement, offsetWidthOf, offsetHeightOf } from "../dom/dom.js";
import { callName, factsOf } from "../capture/facts.js";
import { belongs, coverOf, deepestAt, openPoint, ownSummary, viewBox } from "../dom/hit.js";
import { newLook, viewNow } from "../dom/look.js";
import { labelsOf } from "../names/labels.js";
import { elementOf } from "../dom/numbers.js";
import { isInView, whyMissed } from "../dom/place.js";
import { isVisible } from "../dom/visible.js";

/** Longest wait for an element to keep still, ms. */
const STILL_LIMIT = 500;
/** Where animation frames don't come (a hidden tab), ms. */
const FRAME_FALLBACK = 50;
/** So many such waits and so many ms without a frame tell that none comes: where frames came before, where none did yet, and where none came. */
const FRAMELESS = { known: { turns: 3, limit: 2000 }, unknown: { turns: 3, limit: 500 }, none: { turns: 1, limit: 0 } };

/** @typedef {[number, number]} Place */

/**
 * @param {number} n @param {{scroll?: boolean, at?: Place | null}} [how] at: the place in it that is meant, from its top left corner
 * @returns {Promise<null | (ReturnType<typeof factsOf> & {point: Place | null, cover: ReturnType<typeof callName> | null, still: boolean})>}
 */
export async function aim(n, { scroll = true, at = null } = {}) {
  const el = elementOf(n);
  if (!el || !isConnected(el)) return null;
  const found = at ? await findPlace(el, at, scroll) : await findPoint(el, scroll);
  if (!isConnected(el)) return null;
  const over = found.point || takesNoPointer(el) ? null : (at ? deepestAt(...placeIn(el, at)) : null) ?? coverOf(el) ?? coverOf(handleOf(el));
  return { ...factsOf(el), ...found, cover: over && !belongs(over, el, at !== null) ? callName(over) : null };
}

/** A point at which the element is hit, scrolled into view if it must be. @param {Element} el @param {boolean} scroll @returns {Promise<{point: Place | null, still: boolean}>} */
async function findPoint(el, scroll) {
  if (scroll) scrollTo_(el);
  let still = await keepsStill(el);
  let point = isConnected(el) ? pointOf(el) : null;
  for (const block of /** @type {const} */ (["center", "start", "end"])) {
    if (point || !scroll || !isConnected(el)) break;
    answerInFrame();
    bringIntoView(handleOf(el), { block, inline: "center", behavior: "instant" });
    still = await keepsStill(el);
    point = isConnected(el) ? pointOf(el) : null;
  }
  return { point, still };
}

/** The same for a place in it, which may be far from its middle. @param {Element} el @param {Place} at @param {boolean} scroll @returns {Promise<{point: Place | null, still: boolean}>} */
async function findPlace(el, at, scroll) {
  const isOpen = () => belongs(deepestAt(...placeIn(el, at)), el, true);
  let still = await keepsStill(el);
  for (const share of [0.5, 0.25, 0.75]) {
    if (isOpen() || !scroll || !isConnected(el)) break;
    scrollPlace(el, at, share);
    still = await keepsStill(el);
  }
  return { point: isConnected(el) && isOpen() ? round(placeIn(el, at)) : null, still };
}

/** @param {Element} el @param {Place} at @returns {Place} CSS px of the viewport */
function placeIn(el, [x, y]) {
  const rect = boxOf(el);
  return [rect.left + x, rect.top + y];
}

/** Whether what lies around it gets the pointer in its place, whatever is on top. @param {Element} el */
const takesNoPointer = (el) => closestOf(el, "[inert]") !== null || getComputedStyle(el).pointerEvents === "none";

/** Where a click reaches the element: on itself, else on its label. @param {Element} el @returns {[number, number] | null} */
function pointOf(el) {
  const summary = ownSummary(el);
  const own = openPoint(summary ?? el, el);
  if (own) return round(own);
  for (const label of labelsOf(el)) {
    const there = isVisible(label) ? openPoint(label, el) : null;
    if (there) return round(there);
  }
  return null;
}

/** @param {[number, number]} point @returns {[number, number]} */
const round = ([x, y]) => [Math.round(x * 100) / 100, Math.round(y * 100) / 100];

/** What to scroll to: the element, or its label when it is not rendered itself. @param {Element} el @returns {Element} */
function handleOf(el) {
  const summary = ownSummary(el);
  if (summary) return summary;
  const rect = boxOf(el);
  if (rect.width >= 2 && rect.height >= 2) return el;
  return labelsOf(el).find(isVisible) ?? el;
}

/** Scrolls only when the element can't be seen where it is. @param {Element} el */
function scrollTo_(el) {
  const handle = handleOf(el);
  const rect = boxOf(handle);
  const x = rect.left + rect.width / 2;
  const y = rect.top + rect.height / 2;
  const middle = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  if (middle && belongs(deepestAt(x, y), el)) return;
  if (middle && isInView(rect, viewNow()) && whyMissed(handle, rect, newLook()) === "covered" && openPoint(handle, el)) return;
  answerInFrame();
  bringIntoView(handle, { block: "center", inline: "center", behavior: "instant" });
}

/** Scrolls all that scrolls around an element so that a place in it is at a share of the height that it shows. @param {Element} el @param {Place} at @param {number} share */
function scrollPlace(el, at, share) {
  const page = scrollingElementOf(document);
  for (let up = flatParentOf(el); up; up = flatParentOf(up)) {
    const isScroller = overflows(up);
    if (up !== page && (!isScroller || /visible|clip/.test(getComputedStyle(up).overflowY))) continue;
    // Where the page is zoomed it goes another way than it was told.
    for (let tries = 0; tries < 4; tries++) {
      const [x, y] = placeIn(el, at);
      const rect = boxOf(up);
      const view = up === page ? viewBox() : { x: rect.left, y: rect.top, w: rect.width, h: rect.height };
      const left = x - view.x - view.w / 2;
      const top = y - view.y - view.h * share;
      if (Math.abs(left) < 1 && Math.abs(top) < 1) break;
      answerInFrame();
      scrollElement(up, left, top);
    }
  }
}

/** Whether the element's place is the same in two frames running. @param {Element} el @returns {Promise<boolean>} */
async function keepsStill(el) {
  const end = performance.now() + STILL_LIMIT;
  let last = boxOf(el);
  for (;;) {
    await nextFrame();
    if (!isConnected(el)) return false;
    const now = boxOf(el);
    if (now.x === last.x && now.y === last.y && now.width === last.width && now.height === last.height) return true;
    if (performance.now() > end) return false;
    last = now;
  }
}

/** Whether animation frames come, as far as is known. @type {"known" | "unknown" | "none"} */
let frames = "unknown";

/**
 * The next animation frame, or, where none comes, some time. On a busy page a frame comes later than timers that are due before
 * it: only several turns without one, and some time, tell that none comes. @returns {Promise<void>}
 */
export async function nextFrame() {
  const { turns, limit } = FRAMELESS[isHiddenDocument(document) ? "none" : frames];
  const end = performance.now() + limit;
  for (let turn = 0; turn < turns || performance.now() < end; turn++) if (await frameWithin(FRAME_FALLBACK)) return;
  frames = "none";
}

/** Whether an animation frame comes within so many ms. One that comes later still tells that they come. @param {number} ms @returns {Promise<boolean>} */
function frameWithin(ms) {
  return new Promise((done) => {
    const timer = ownTimer(() => done(false), ms);
    ownFrame(() => {
      frames = "known";
      clearTimeout(timer);
      done(true);
    });
  });
}

/** What is at a point (CSS px). @param {number} x @param {number} y */
export function hitAt(x, y) {
  const hit = deepestAt(x, y);
  return hit && callName(hit);
}

/** Whether the topmost thing at a point is this frame element. @param {number} n @param {number} x @param {number} y */
export function framePass(n, x, y) {
  const el = elementOf(n);
  return el !== null && deepestAt(x, y) === el;
}

/** The content box of a frame element, CSS px of this viewport. @param {number} n */
export function frameBox(n) {
  const el = elementOf(n);
  if (!el || !isConnected(el)) return null;
  const rect = boxOf(el);
  const style = getComputedStyle(el);
  const px = (/** @type {string} */ key) => Number.parseFloat(style.getPropertyValue(key)) || 0;
  const scaleX = rect.width / (offsetWidthOf(el) || rect.width || 1);
  const scaleY = rect.height / (offsetHeightOf(el) || rect.height || 1);
  const left = (px("border-left-width") + px("padding-left")) * scaleX;
  const top = (px("border-top-width") + px("padding-top")) * scaleY;
  const right = (px("border-right-width") + px("padding-right")) * scaleX;
  const bottom = (px("border-bottom-width") + px("padding-bottom")) * scaleY;
  return { x: rect.x + left, y: rect.y + top, w: rect.width - left - right, h: rect.height - top - bottom, tag: tagOf(el) };
}
