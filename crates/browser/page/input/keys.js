// The guard's keyboard half: which event of a key press belongs to the target.

import { activeOf, attr, flatHolds, flatParentOf, isElement, nodeTypeOf, shadowOf, tagOf, formOf } from "../dom/dom.js";

/** `textInput` is old and undocumented, and without it text leaks when focus moves inside beforeinput. */
export const KEYBOARD_EVENTS = ["keydown", "keypress", "beforeinput", "textInput", "keyup", "click", "submit"];
/** Events that are swallowed off the target without calling the gesture off: the key was delivered, focus moved on. */
export const SOFT_KEYBOARD = new Set(["keyup"]);

/** Whether Enter or Space has been delivered to the target, after which its form may act. */
export const noteKeys = {
  acted: false,
  clear() {
    this.acted = false;
  },
};

/** @param {Event} event @param {Element} target @returns {"miss" | null} */
export function keyboardFault(event, target) {
  const at = /** @type {Node | undefined} */ (event.composedPath()[0]);
  const place = at && focusPlaceOf(at, event);
  if (place && isAt(place, target)) {
    if (event instanceof KeyboardEvent && event.type === "keydown" && (event.key === "Enter" || event.key === " ")) noteKeys.acted = true;
    return null;
  }
  if (!noteKeys.acted || !isElement(at)) return "miss";
  // Enter in a field presses its form's button and submits: that is the key's own work.
  const form = formOf(target);
  if (event.type === "submit") return form !== null && at === form ? null : "miss";
  if (event.type === "click") return form !== null && formOf(at) === form ? null : "miss";
  return "miss";
}

/** The element an event is at; inside a closed root that is its focused element. @param {Node} at @param {Event} event @returns {Element | null} */
function focusPlaceOf(at, event) {
  const el = nodeTypeOf(at) === 3 ? flatParentOf(at) : isElement(at) ? at : null;
  if (!el || !shadowOf(el) || event.type === "click" || event.type === "submit") return el;
  const active = activeOf();
  return active && flatHolds(el, active) ? active : el;
}

/** Whether an element is the target or, in rich text, inside it. @param {Element} el @param {Element} target */
function isAt(el, target) {
  if (el === target) return true;
  const rich = attr(target, "contenteditable") !== null || /^(label|summary)$/.test(tagOf(target));
  return rich && flatHolds(target, el);
}
