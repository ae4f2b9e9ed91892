// What scripts draw on canvases beside what is pressed, compared as small pictures: it shows in no tree, and may be a clock.

import { isHtml, queryAll, rectOf } from "../dom/dom.js";
import { mutation } from "./mutated.js";
import { ownFrame } from "./pending.js";
import { wholePressed } from "./pressed.js";

/** So many canvases in view are compared, each as a picture of so many pixels a side. */
const CANVASES_MOST = 4;
const SMALL_SIDE = 32;
/** So many pixels of their own they may have together: each is read back to be made small. */
const MOST_PIXELS = 2_000_000;

/** @typedef {Map<HTMLCanvasElement, string>} Pictures */
/** What each showed when the gesture began. @type {Pictures | null} */
let drawnAtFirst = null;
/** The same of those that are compared: that stood still since, as far as is known. @type {Pictures | null} */
let drawnThen = null;
/** What the page itself may not read back, as it holds a picture of another site. @type {WeakSet<Element>} */
const unreadable = new WeakSet();

/** Before the pointer goes anywhere. What has moved two frames later goes on by itself; where the press comes first, that isn't known. */
export function beginDrawn() {
  const pictures = (drawnAtFirst = picturesNow());
  drawnThen = pictures;
  if (pictures.size) ownFrame(() => ownFrame(() => compareStill(pictures)));
}

/** @param {Pictures} pictures */
function compareStill(pictures) {
  if (drawnAtFirst !== pictures || wholePressed()) return;
  drawnThen = new Map([...pictures].filter(([canvas, picture]) => smallPicture(canvas) === picture));
}

export function forgetDrawn() {
  drawnAtFirst = drawnThen = null;
}

/** Those that show something else since; what is pressed is compared by what is seen of it. */
export function* drawnChanges() {
  for (const [canvas, was] of drawnThen ?? []) {
    if (canvas === wholePressed()) continue;
    const now = smallPicture(canvas);
    if (now !== null && now !== was) yield mutation(canvas, "picture", ["", "drawn anew"], "later");
  }
}

/** Of the canvases in view. @returns {Pictures} */
function picturesNow() {
  const pictures = new Map();
  const inView = (/** @type {import("../dom/dom.js").Rect} */ { left, top, right, bottom, width, height }) => width > 0 && height > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
  let [tried, pixels] = [0, 0];
  for (const el of queryAll(document, "canvas")) {
    if (tried >= CANVASES_MOST) break;
    if (!isHtml(el, "canvas") || unreadable.has(el) || !inView(rectOf(el))) continue;
    const canvas = /** @type {HTMLCanvasElement} */ (el);
    pixels += canvas.width * canvas.height;
    if (pixels > MOST_PIXELS) break;
    tried += 1;
    const picture = smallPicture(canvas);
    if (picture !== null) pictures.set(canvas, picture);
  }
  return pictures;
}

/** @type {OffscreenCanvasRenderingContext2D | null} */
let small = null;

/** @param {HTMLCanvasElement} canvas @returns {string | null} */
function smallPicture(canvas) {
  try {
    if (!canvas.width || !canvas.height) return null;
    small ??= new OffscreenCanvas(SMALL_SIDE, SMALL_SIDE).getContext("2d", { willReadFrequently: true });
    if (!small) return null;
    small.imageSmoothingQuality = "high";
    small.clearRect(0, 0, SMALL_SIDE, SMALL_SIDE);
    small.drawImage(canvas, 0, 0, SMALL_SIDE, SMALL_SIDE);
    return small.getImageData(0, 0, SMALL_SIDE, SMALL_SIDE).data.join();
  } catch {
    // What is tainted once stays so.
    small = null;
    unreadable.add(canvas);
    return null;
  }
}
