// Setting what typing can't: dates, colours, ranges, selects; and the focus and selection typing needs.

import { activeOf, giveFocus, isConnected, tagOf, attr, dispatch, newRange, isMatch, isHtml } from "../dom/dom.js";
import { editingHostOf, isEditable } from "../dom/focus.js";
import { elementOf } from "../dom/numbers.js";
import { elapse } from "../changes/watch.js";

/** Input types that are set whole, with the form of their value. @type {Map<string, [RegExp, string]>} */
const FORMATS = new Map([
  ["date", [/^\d{4,}-\d{2}-\d{2}$/, "YYYY-MM-DD"]],
  ["time", [/^\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/, "HH:MM or HH:MM:SS, 24 hours"]],
  ["month", [/^\d{4,}-\d{2}$/, "YYYY-MM"]],
  ["week", [/^\d{4,}-W\d{2}$/, "YYYY-Www, such as 2026-W07"]],
  ["datetime-local", [/^\d{4,}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/, "YYYY-MM-DDTHH:MM"]],
  ["color", [/^#[0-9a-f]{6}$/i, "#rrggbb"]],
  ["range", [/^-?\d+(\.\d+)?$/, "a number"]],
]);
const setInputValue = /** @type {(this: HTMLInputElement, value: string) => void} */ (Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set);

/** How an element takes text. @param {number} n @returns {"text" | "contenteditable" | "set" | "file" | "select" | "none"} */
export function editKind(n) {
  const el = elementOf(n);
  if (!el) return "none";
  const tag = tagOf(el);
  if (tag === "select") return "select";
  if (tag === "textarea") return "text";
  if (tag === "input") {
    const type = /** @type {HTMLInputElement} */ (el).type;
    if (type === "file") return "file";
    if (FORMATS.has(type)) return "set";
    return /^(checkbox|radio|button|submit|reset|image|hidden)$/.test(type) ? "none" : "text";
  }
  return isEditable(el) ? "contenteditable" : "none";
}

/** Whether text that is inserted comes into an element: what can only be read gets keys alone. @param {number} n @returns {boolean} */
export function takesText(n) {
  const kind = editKind(n);
  if (kind !== "text") return kind === "contenteditable";
  return !(/** @type {HTMLInputElement | HTMLTextAreaElement} */ (elementOf(n)).readOnly);
}

/** What a number field takes. */
const NUMBER_FORM = /^-?(\d+|\d*\.\d+)(e[-+]?\d+)?$/i;

/** Why a field can't come to hold a text, which would be lost with what it holds; none where it can. @param {number} n @param {string} text @returns {string | null} */
export function whyNotText(n, text) {
  const el = elementOf(n);
  if (!isHtml(el, "input")) return null;
  // Fields drop line ends at the end.
  const line = text.replace(/[\r\n]+$/, "");
  if (/[\r\n]/.test(line)) return "it takes one line of text";
  const isNumber = line === "" || (NUMBER_FORM.test(line) && Number.isFinite(Number(line)));
  return el.type === "number" && !isNumber ? "number wants a number, such as 12 or -3.5" : null;
}

/** Focuses an element without scrolling; whether it has the focus then. @param {number} n @returns {boolean} */
export function focus(n) {
  const el = elementOf(n);
  if (!el || !isConnected(el)) return false;
  giveFocus(/** @type {HTMLElement} */ (editingHostOf(el) ?? el), { preventScroll: true });
  const active = activeOf();
  return active === el || active === editingHostOf(el);
}

/** So soon editors that select by themselves have answered the focus, ms. */
const FOCUS_ANSWERED = 30;

/** Selects all of a text field or of rich text. @param {number} n @returns {boolean} */
export function selectAll(n) {
  return select(n, (field) => field.select(), (range, el) => range.selectNodeContents(el));
}

/** The same, once an editor that comes to have the focus by it has selected what it likes. @param {number} n @returns {Promise<boolean>} */
export async function selectAllFocused(n) {
  const el = elementOf(n);
  const isFocused = el !== null && editingHostOf(el) === activeOf();
  const done = selectAll(n);
  if (!done || !el || !isEditable(el) || isFocused) return done;
  await elapse(FOCUS_ANSWERED);
  return selectAll(n);
}

/** Puts the caret after the last character. @param {number} n @returns {boolean} */
export function caretEnd(n) {
  return select(n, (field) => caretIn(field), (range, el) => {
    range.selectNodeContents(el);
    range.collapse(false);
  });
}

/** @param {HTMLInputElement} field */
function caretIn(field) {
  try {
    field.setSelectionRange(field.value.length, field.value.length);
  } catch {
    field.select(); // email and number fields have no caret to set
  }
}

/** @param {number} n @param {(field: HTMLInputElement) => void} inField @param {(range: Range, el: Element) => void} inText */
function select(n, inField, inText) {
  const el = elementOf(n);
  if (!el || !focus(n)) return false;
  const tag = tagOf(el);
  if (tag === "input" || tag === "textarea") {
    inField(/** @type {HTMLInputElement} */ (el));
    return true;
  }
  const host = editingHostOf(el);
  const selection = getSelection();
  if (!host || !selection) return false;
  const range = newRange();
  inText(range, el);
  selection.removeAllRanges();
  selection.addRange(range);
  return true;
}

/** Tells the page as a user's change does. @param {Element} el */
function announce(el) {
  dispatch(el, new Event("input", { bubbles: true, composed: true }));
  dispatch(el, new Event("change", { bubbles: true }));
}

/**
 * Sets an input that has a form of its own. `taken` is what the browser made of the value, before the page heard of it.
 * @param {number} n @param {string} value @returns {{ok: boolean, value: string, taken?: string, reason?: string}}
 */
export function setValue(n, value) {
  const el = elementOf(n);
  if (!isHtml(el, "input")) return { ok: false, value: "", reason: "not an input that can be set" };
  const format = FORMATS.get(el.type);
  const wanted = value.trim();
  if (el.disabled || el.readOnly) return { ok: false, value: el.value, reason: el.disabled ? "disabled" : "read-only" };
  if (format && wanted && !format[0].test(wanted)) return { ok: false, value: el.value, reason: `${el.type} wants ${format[1]}` };
  const before = el.value;
  setInputValue.call(el, wanted);
  const taken = el.value;
  const reason = whyNotTaken(el, format?.[1], wanted);
  if (reason) {
    setInputValue.call(el, before);
    return { ok: false, value: before, reason };
  }
  announce(el);
  return { ok: true, value: el.value, taken };
}

/** Why an input that was just set holds something else than was meant, or nothing. @param {HTMLInputElement} el @param {string | undefined} form @param {string} wanted */
function whyNotTaken(el, form, wanted) {
  if (form && wanted && el.value === "") return `not a real ${el.type}: wants ${form}`;
  if (el.type === "range" && Number(el.value) !== Number(wanted)) return `the range allows ${attr(el, "min") ?? 0} to ${attr(el, "max") ?? 100} in steps of ${attr(el, "step") ?? 1}`;
  return "";
}

/** For comparing option labels. @param {string} text */
const foldLabel = (text) => text.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();

/** @param {HTMLOptionElement[]} options @param {string} wanted @returns {HTMLOptionElement | string} the option, or why there is none */
function findOption(options, wanted) {
  const folded = foldLabel(wanted);
  for (const reads of [(/** @type {HTMLOptionElement} */ option) => option.label.trim() === wanted.trim(), (/** @type {HTMLOptionElement} */ option) => foldLabel(option.label) === folded]) {
    const same = options.filter(reads);
    if (same.some((option) => option.value !== same[0].value)) return `${same.length} options read “${wanted}”: name one by its place or value: ${same.slice(0, 10).map((option) => `#${options.indexOf(option)} (${option.value})`).join(", ")}`;
    if (same.length) return same[0];
  }
  const byValue = options.find((option) => option.value === wanted);
  if (byValue) return byValue;
  const place = /^#(\d+)$/.exec(wanted.trim());
  if (place) return options[Number(place[1])] ?? `there is no option ${wanted}: they are #0 to #${options.length - 1}`;
  const near = folded ? options.filter((option) => foldLabel(option.label).includes(folded)) : [];
  const listed = (near.length ? near : options).slice(0, 10).map((option) => `“${option.label.trim()}”`).join(", ");
  return near.length ? `no option reads “${wanted}”, ${near.length} contain it: ${listed}` : `no option “${wanted}” among ${listed}${options.length > 10 ? " …" : ""}`;
}

/** The options that are meant, or why they can't be chosen. @param {HTMLSelectElement} el @param {(string | number)[]} wanted @returns {Set<HTMLOptionElement> | string} */
function meant(el, wanted) {
  const options = [...el.options];
  /** @type {Set<HTMLOptionElement>} */
  const chosen = new Set();
  for (const want of wanted) {
    const option = findOption(options, String(want));
    if (typeof option === "string") return option;
    if (isMatch(option, ":disabled")) return `“${option.label.trim()}” is disabled`;
    chosen.add(option);
  }
  return chosen;
}

/** What tells options from others. @param {Set<HTMLOptionElement>} options */
const optionsTold = (options) => JSON.stringify([...options].map(({ label, value }) => [foldLabel(label), value]));

/**
 * Chooses in a native select, as a user would.
 * @param {number} n @param {(string | number)[]} wanted @param {() => boolean} holds whether it is still what it should be: the page's own handlers of the focus run first
 * @returns {{ok: boolean, reason?: string}}
 */
export function choose(n, wanted, holds) {
  const el = elementOf(n);
  const refused = (/** @type {string} */ reason) => ({ ok: false, reason });
  if (!isHtml(el, "select")) return refused("not a select");
  if (isMatch(el, ":disabled")) return refused("disabled");
  if (!el.multiple && wanted.length !== 1) return refused("this select takes one option");
  const before = meant(el, wanted);
  if (typeof before === "string") return refused(before);
  if (![...el.options].some((option) => option.selected !== before.has(option))) return { ok: true };
  const were = optionsTold(before);
  giveFocus(el, { preventScroll: true });
  if (!holds() || isMatch(el, ":disabled")) return refused("the page changed it when it got the focus");
  const chosen = meant(el, wanted);
  if (typeof chosen === "string") return refused(chosen);
  if (optionsTold(chosen) !== were) return refused("the page changed its options when it got the focus");
  for (const option of el.options) if (option.selected !== chosen.has(option)) option.selected = chosen.has(option);
  announce(el);
  return { ok: true };
}
