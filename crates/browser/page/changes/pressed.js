// What a gesture pressed.

import { closestOf } from "../dom/dom.js";

/** What may be pressed as a whole. */
const PRESSABLE = "button, a, label, summary, [role=button], [role=link], [role=tab], [role=option], [role=checkbox], [role=radio], [role=switch], [role=treeitem], [role^=menuitem], [tabindex='0']";

/** What has a role or takes the focus, beside these. */
const WIDGETS = "button, a, label, summary, [role], [tabindex]";

/** What the last press or key of the gesture came to. @type {Element | null} */
let pressed = null;
/** What that was part of when it came, for the page may take it out: by the one list and by the other. @type {{whole: Element, widget: Element} | null} */
let partOf = null;

/** @param {Element | null} el null: nothing yet */
export function notePressed(el) {
  pressed = el;
  partOf = el && { whole: closestOf(el, PRESSABLE) ?? el, widget: closestOf(el, WIDGETS) ?? el };
}

export const pressedNow = () => pressed;

/** What was pressed as a whole. */
export const wholePressed = () => partOf?.whole ?? null;

/** The widget that what was pressed is part of, however large, or it alone. */
export const pressedControl = () => partOf?.widget ?? null;
