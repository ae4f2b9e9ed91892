// Forms that the browser doesn't send because of what a control holds (HTML, "interactively validate the constraints").

import { listen, nodeTypeOf, tagOf, unlisten } from "./dom.js";
import { nameOf } from "./names.js";
import { roleOf } from "./roles.js";

/** The form that the event under way is to send. @type {HTMLFormElement | null} */
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
  sending = null;
  for (const at of event.composedPath()) {
    if (at === window || nodeTypeOf(/** @type {Node} */ (at)) !== 1) continue;
    const el = /** @type {HTMLButtonElement} */ (at);
    if (/^(button|input)$/.test(tagOf(el)) && /^(submit|image)$/.test(el.type)) return void (sending = el.form);
  }
}

/** Enter sends a form that has no button for it, too. @param {Event} event */
function onKey(event) {
  if (!event.isTrusted || /** @type {KeyboardEvent} */ (event).key !== "Enter") return;
  const el = /** @type {HTMLInputElement} */ (event.composedPath()[0]);
  sending = tagOf(el) === "input" ? el.form : null;
}

/** Only the first control counts: the browser shows its message. @param {Event} event */
function onInvalid(event) {
  const el = /** @type {HTMLInputElement} */ (event.composedPath()[0]);
  if (!event.isTrusted || !sending || el.form !== sending) return;
  sending = null;
  const role = roleOf(el);
  const held = { role, name: nameOf(el, role), message: el.validationMessage ?? "" };
  /** @type {any} */ (globalThis).handeyeSignal?.(JSON.stringify({ held }));
}

function onSubmit() {
  sending = null;
}
