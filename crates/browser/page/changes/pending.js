// What the page began in the events of a gesture and what is still to come of it: timers, idle callbacks, animation frames and
// animations. A window numbers each kind one after the other, ours among them: what lies between two of ours is the page's.

import { afterTurn, animationsOf } from "../dom/dom.js";

/** What begins in a frame does so by the time when that was begun, ms. */
const ONE_FRAME = 20;
/** What a transition of these changes shows and hides nothing. */
const COLOURS = /color|shadow|^outline|^(fill|stroke)$/;

/** Timers that the page began in the events of the gesture. */
let begun = 0;
/** Animation frames and idle callbacks that it asked for there. */
let begunFrames = 0;
/** Timers of ours since the count began; null: none is under way. @type {number | null} */
let own = null;
/** Frames of ours since. */
let ownFrames = 0;

/** When the gesture began, ms of performance.now(), which document timelines go by, too. */
let since = 0;

/** A gesture begins. */
export function forgetPending() {
  begun = begunFrames = 0;
  since = performance.now();
}

/** Whether something is still to come by timers that were begun in its events. */
export const hasTimers = () => begun > 0;

/** Whether frames or idle callbacks were asked for in its events. */
export const hasFrames = () => begunFrames > 0;

/** Whether anything moves, comes or goes by an animation or a transition that began since. */
export const isAnimatedSince = () => animationsOf(document).some((one) => one.playState === "running" && !isColour(one) && (one.startTime === null || Number(one.startTime) >= since - ONE_FRAME));

/** @param {Animation} one */
const isColour = (one) => one instanceof CSSTransition && COLOURS.test(one.transitionProperty);

/** Counts the timers that are begun in this turn of the page. */
export function countTimers() {
  if (own !== null) return;
  own = ownFrames = 0;
  const first = nextNumbers();
  afterTurn(() => {
    const [timers, idle, frames] = nextNumbers().map((number, i) => Math.max(number - first[i] - 1, 0));
    begun += Math.max(timers - (own ?? 0), 0);
    begunFrames += idle + Math.max(frames - ownFrames, 0);
    own = null;
  });
}

/** Of a timer, an idle callback and a frame that are asked for now. */
function nextNumbers() {
  const [timer, idle, frame] = [setTimeout(() => {}, 0), requestIdleCallback(() => {}), requestAnimationFrame(() => {})];
  clearTimeout(timer);
  cancelIdleCallback(idle);
  cancelAnimationFrame(frame);
  return [timer, idle, frame];
}

/** A timer of ours that may be begun while the page's are counted. @param {() => void} what @param {number} ms */
export function ownTimer(what, ms) {
  if (own !== null) own += 1;
  return setTimeout(what, ms);
}

/** A frame of ours that may be asked for while the page's are counted. @param {() => void} what */
export function ownFrame(what) {
  if (own !== null) ownFrames += 1;
  requestAnimationFrame(what);
}
