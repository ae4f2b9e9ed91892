// The events that gestures are held by.

import { KEYBOARD_EVENTS } from "./keys.js";

/** @typedef {"pointer" | "keyboard" | "drag" | "hover" | "wheel" | "free"} Gesture */

export const DROP_EVENTS = ["pointerup", "mouseup", "drop"];
export const MOVES = ["mousemove", "dragover"];
const POINTER_EVENTS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu", "dblclick", "dragstart"];
/** What each gesture is held by. Where a drag ends counts only when it is to end on an element. @type {Record<Gesture, string[]>} */
export const TYPES = {
  pointer: POINTER_EVENTS,
  keyboard: KEYBOARD_EVENTS,
  drag: ["pointerdown", "mousedown", "dragstart", ...DROP_EVENTS],
  hover: ["pointerover", "mouseover", "pointermove", "mousemove"],
  wheel: ["wheel"],
  // Raw input without a target: held to nothing but the rules about targets.
  free: [...POINTER_EVENTS, ...KEYBOARD_EVENTS, "drop"],
};
/** Every event the guard always listens for; others would slow the page down. */
export const ALL_EVENTS = [...new Set([...POINTER_EVENTS, ...KEYBOARD_EVENTS])];
export const EVERY_EVENT = [...new Set([...ALL_EVENTS, ...Object.values(TYPES).flat()])];
