// Forms that the browser doesn't send because of what a control holds (HTML, "interactively validate the constraints").

import { afterTurn, listen, nodeTypeOf, tagOf, unlisten, has, signalOut } from "../dom/dom.js";
import { nameOf } from "../names/names.js";
import { roleOf } from "../names/roles.js";

/** What is told of a name or a message, characters. */
const HELD_LENGTH = 200;

/** The form that the event under way is to send, and the first control that kept it from being sent. @type {{form: HTMLFormElement, by: Event, control: HTMLInputElement | null} | null} */
let sending = null;
let hearing = false;

/** Tells of forms that are held back, or no longer. @param {boolean} on */
export function watchForms(on) {
  if (on === hearing) return;
  hearing = on;
  sending = null;
  for (const [type, hear] of /** @type {[string, (event: Event) => void][]} */ ([["click", onClick], ["keydown", onKey], ["invalid", onInvalid], ["submit", onSubmit]])) {
    if (on) listen(window, type, hear);
    else unlisten(window, type, hear);
  }
}

/** @param {Event} event */
function onClick(event) {
  if (!event.isTrusted) return;
  for (const at of event.composedPath()) {
    if (at === window || nodeTypeOf(/** @type {Node} */ (at)) !== 1) continue;
    const el = /** @type {HTMLButtonElement} */ (at);
    if (/^(button|input)$/.test(tagOf(el)) && /^(submit|image)$/.test(el.type)) return begin(el.formNoValidate ? null : el.form, event);
  }
  sending = null;
}

/** Enter sends a form that has no button for it, too. @param {Event} event */
function onKey(event) {
  if (!event.isTrusted || /** @type {KeyboardEvent} */ (event).key !== "Enter") return;
  const el = /** @type {HTMLInputElement} */ (event.composedPath()[0]);
  begin(tagOf(el) === "input" ? el.form : null, event);
}

/** What the browser makes of the event it does in the same turn. @param {HTMLFormElement | null} form @param {Event} by */
function begin(form, by) {
  const mine = (sending = form && !has(form, "novalidate") ? { form, by, control: null } : null);
  if (!mine) return;
  afterTurn(() => {
    if (sending !== mine) return;
    sending = null;
    if (mine.control && !mine.by.defaultPrevented) tellHeld(mine.control);
  });
}

/** @param {HTMLInputElement} control */
function tellHeld(control) {
  const role = roleOf(control);
  const held = { role, name: nameOf(control, role).slice(0, HELD_LENGTH), message: (control.validationMessage ?? "").slice(0, HELD_LENGTH) };
  signalOut({ held });
}

/** Only the first control counts: the browser shows its message. @param {Event} event */
function onInvalid(event) {
  const el = /** @type {HTMLInputElement} */ (event.composedPath()[0]);
  if (event.isTrusted && sending && el.form === sending.form) sending.control ??= el;
}

function onSubmit() {
  sending = null;
}
