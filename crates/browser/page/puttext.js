// Putting a long text into a field at once: typed or inserted, each of its lines costs more than the last.

import { isConnected, tagOf } from "./dom.js";
import { isDisabled } from "./focus.js";
import { elementOf } from "./numbers.js";
import { selectAll, whyNotText } from "./values.js";

const setters = new Map(
  [HTMLInputElement, HTMLTextAreaElement].map((kind) => [kind.name, /** @type {(this: Element, value: string) => void} */ (Object.getOwnPropertyDescriptor(kind.prototype, "value")?.set)]),
);

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
  if (!el.dispatchEvent(new InputEvent("beforeinput", { ...how, data: text, cancelable: true }))) return { ok: false, reason: "the page refuses the text" };
  if (!holds() || el.readOnly || isDisabled(el)) return { ok: false, reason: "the page changed it meanwhile" };
  setter.call(el, el.maxLength >= 0 ? text.slice(0, el.maxLength) : text);
  el.dispatchEvent(new InputEvent("input", how));
  el.dispatchEvent(new Event("change", { bubbles: true }));
  return { ok: true };
}
