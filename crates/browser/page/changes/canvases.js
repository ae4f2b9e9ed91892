// What scripts draw on canvases beside what is pressed, compared as small pictures: it shows in no tree, and may be a clock.

import { isHtml, queryAll, rectOf } from "../dom/dom.js";
import { mutation } from "./mutated.js";
import { wholePressed } from "./pressed.js";

/** So many canvases in view are compared, each as a picture of so many pixels a side. */
const CANVASES_MOST = 4;
const SMALL_SIDE = 32;
/** A canvas with a side longer than this, in its own pixels, is none of them: making it small takes long. */
const LONGEST_SIDE = 4096;

/** @typedef {Map<HTMLCanvasElement, string>} Pictures */
/** What each showed when the gesture began. @type {Pictures | null} */
let drawnAtFirst = null;
/** What each that stood still showed when it first pressed something here. @type {Pictures | null} */
let drawnThen = null;

export function beginDrawn() {
  drawnAtFirst = picturesNow();
  drawnThen = null;
}

/** Right before the page hears of the press. What has moved since the gesture began goes on by itself. */
export function noteDrawn() {
  if (drawnThen || !drawnAtFirst?.size) return;
  drawnThen = new Map([...picturesNow()].filter(([canvas, picture]) => drawnAtFirst?.get(canvas) === picture));
}

export function forgetDrawn() {
  drawnAtFirst = drawnThen = null;
}

/** Those that show something else since. */
export function* drawnChanges() {
  for (const [canvas, was] of drawnThen ?? []) {
    const now = smallPicture(canvas);
    if (now !== null && now !== was) yield mutation(canvas, "picture", ["", "drawn anew"], "later");
  }
}

/** Of the canvases in view; what is pressed is compared by what is seen of it. @returns {Pictures} */
function picturesNow() {
  const pictures = new Map();
  const inView = (/** @type {DOMRect} */ { left, top, right, bottom, width, height }) => width > 0 && height > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  for (const el of queryAll(document, "canvas")) {
    if (pictures.size >= CANVASES_MOST) break;
    if (!isHtml(el, "canvas") || el === wholePressed() || !inView(/** @type {any} */ (rectOf(el)))) continue;
    const picture = smallPicture(/** @type {HTMLCanvasElement} */ (el));
    if (picture !== null) pictures.set(el, picture);
  }
  return pictures;
}

/** @type {OffscreenCanvasRenderingContext2D | null} */
let small = null;

/** Null where the page itself may not read what it has drawn, as a picture of another site. @param {HTMLCanvasElement} canvas @returns {string | null} */
function smallPicture(canvas) {
  try {
    const { width, height } = canvas;
    if (!width || !height || Math.max(width, height) > LONGEST_SIDE) return null;
    small ??= new OffscreenCanvas(SMALL_SIDE, SMALL_SIDE).getContext("2d", { willReadFrequently: true });
    if (!small) return null;
    small.clearRect(0, 0, SMALL_SIDE, SMALL_SIDE);
    small.drawImage(canvas, 0, 0, SMALL_SIDE, SMALL_SIDE);
    return small.getImageData(0, 0, SMALL_SIDE, SMALL_SIDE).data.join();
  } catch {
    // What is tainted once stays so.
    small = null;
    return null;
  }
}
