// Putting a text into a field at once, by script: long ones, since typed or inserted each of their lines costs more than the
// last, and secrets, since keys go to whatever has the focus when they come.

import { activeOf, dispatch, isConnected, listen, ownerOf, tagOf, unlisten } from "../dom/dom.js";
import { editingHostOf, isDisabled } from "../dom/focus.js";
import { elementOf } from "../dom/numbers.js";
import { editKind, selectAll, setValue, whyNotText } from "./values.js";

const setters = new Map(
  [HTMLInputElement, HTMLTextAreaElement].map((kind) => [kind.name, /** @type {(this: Element, value: string) => void} */ (Object.getOwnPropertyDescriptor(kind.prototype, "value")?.set)]),
);
const { execCommand } = Document.prototype;

/**
 * Replaces a field's content as a paste would: the page is asked first and told after.
 * @param {number} n @param {string} text @param {() => boolean} holds whether it is still what it should be: the page's own handlers run before the text is put in
 * @returns {{ok: boolean, reason?: string}}
 */
export function putText(n, text, holds) {
  const el = /** @type {HTMLInputElement | HTMLTextAreaElement | null} */ (elementOf(n));
  if (!el || !isConnected(el)) return { ok: false, reason: "it is gone" };
  const setter = setters.get(tagOf(el) === "textarea" ? "HTMLTextAreaElement" : "HTMLInputElement");
  if (el.readOnly || isDisabled(el) || !setter) return { ok: false, reason: "it can't be edited" };
  const reason = whyNotText(n, text);
  if (reason) return { ok: false, reason };
  selectAll(n);
  const how = { bubbles: true, composed: true, inputType: "insertFromPaste" };
  if (!dispatch(el, new InputEvent("beforeinput", { ...how, data: text, cancelable: true }))) return { ok: false, reason: "the page refuses the text" };
  if (!holds() || el.readOnly || isDisabled(el)) return { ok: false, reason: "the page changed it meanwhile" };
  setter.call(el, el.maxLength >= 0 ? text.slice(0, el.maxLength) : text);
  dispatch(el, new InputEvent("input", how));
  dispatch(el, new Event("change", { bubbles: true }));
  return { ok: true };
}

/**
 * Puts in what documents of one origin may have, and nobody else: whether it is in one is looked at in the same turn of the
 * page, and again after the page's own handlers ran.
 * @param {number} n @param {string} text @param {string} origin @param {() => boolean} holds
 * @returns {{ok: boolean, reason?: string}}
 */
export function putSecret(n, text, origin, holds) {
  const el = elementOf(n);
  const isMeant = () => el !== null && isConnected(el) && ownerOf(el) === document && globalThis.origin === origin && origin !== "null" && holds();
  if (!el || !isMeant()) return { ok: false, reason: `it is in no document of ${origin} now` };
  return putWhole(n, text, isMeant);
}

/**
 * Puts a text into whatever takes one, each in its own way.
 * @param {number} n @param {string} text @param {() => boolean} holds @returns {{ok: boolean, reason?: string}}
 */
export function putWhole(n, text, holds) {
  const el = elementOf(n);
  const kind = el ? editKind(n) : "none";
  if (kind === "text") return putText(n, text, holds);
  if (kind === "set") return setValue(n, text);
  return el && kind === "contenteditable" ? putRich(n, el, text, holds) : { ok: false, reason: "it can't be edited" };
}

/** Replaces rich text by the browser's own command for editing, which asks and tells the page itself. @param {number} n @param {Element} el @param {string} text @param {() => boolean} isMeant */
function putRich(n, el, text, isMeant) {
  // The command goes to what has the focus when the page was asked.
  const stop = (/** @type {InputEvent} */ event) => {
    const active = activeOf();
    if (isMeant() && active !== null && (active === el || active === editingHostOf(el))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  if (!selectAll(n) || !isMeant()) return { ok: false, reason: "it doesn't take the focus" };
  listen(window, "beforeinput", stop);
  try {
    return execCommand.call(document, "insertText", false, text) ? { ok: true } : { ok: false, reason: "the page refuses the text" };
  } finally {
    unlisten(window, "beforeinput", stop);
  }
}
