// What a gesture pressed.

import { closestOf } from "../dom/dom.js";

/** What the last press or key of the gesture came to. @type {Element | null} */
let pressed = null;

/** @param {Element | null} el null: nothing yet */
export const notePressed = (el) => void (pressed = el);

export const pressedNow = () => pressed;

/** The control that what was pressed is part of, or it alone. @returns {Element | null} */
export const pressedControl = () => pressed && (closestOf(pressed, "button, a, label, summary, [role], [tabindex]") ?? pressed);
