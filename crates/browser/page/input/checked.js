// What a gesture does by script instead of by input: checked and done in one turn of the page, so
// nothing can come between.

import { asInput } from "../changes/cause.js";
import { isConnected, tagOf, clickElement, innerTextOf, signalOut, styleOf } from "../dom/dom.js";
import { arm, disarm } from "./guard.js";
import { isKeptFrom } from "../dom/modal.js";
import { elementOf } from "../dom/numbers.js";
import { putSecret, putText, putWhole } from "./puttext.js";
import { choose, focus, setValue } from "./values.js";
import { versionNow } from "../dom/version.js";

/** @type {Record<string, (n: number, ...args: any[]) => unknown>} */
const DEEDS = {
  focus,
  setValue,
  putText,
  putSecret,
  putWhole,
  choose,
  /** @param {number} n */
  invoke: (n) => {
    const el = /** @type {HTMLElement | null} */ (elementOf(n));
    if (el) clickElement(el);
    return el !== null;
  },
};

/**
 * Does a deed to the guarded target, or says why not.
 * @param {Parameters<typeof arm>[0]} spec @param {string} deed @param {any[]} args
 * @returns {{refused: string} | {done: unknown}}
 */
export function checked(spec, deed, ...args) {
  const armed = arm(spec);
  disarm();
  if (!armed.ok) return { refused: armed.reason ?? "detached" };
  const isInert = () => isKeptFrom(/** @type {Element} */ (elementOf(spec.target)));
  if (isInert()) return { refused: "inert" };
  // A dialog that the deed opens keeps its answer: this says that it began.
  signalOut({ guard: { type: "deed", pass: true } });
  const holds = () => {
    const again = arm(spec);
    disarm();
    return again.ok && !isInert();
  };
  const target = /** @type {number} */ (spec.target);
  const done = asInput(() => DEEDS[deed](target, ...args, holds), versionNow) ?? null;
  // A long text is not sent a second time to be compared.
  return deed.startsWith("put") ? { done: { .../** @type {object} */ (done), holds: holdsText(target, args[0]) } } : { done };
}

/** The guarded target itself, or why not. @param {Parameters<typeof arm>[0]} spec @returns {Element | string} */
export function checkedElement(spec) {
  const armed = arm(spec);
  disarm();
  return (armed.ok && elementOf(spec.target)) || armed.reason || "detached";
}

/** Whether a field now holds just this text; line ends count alike. @param {number} n @param {string} text */
export function holdsText(n, text) {
  const el = elementOf(n);
  if (!el || !isConnected(el)) return false;
  const tag = tagOf(el);
  if (tag === "input" || tag === "textarea") return lines(/** @type {HTMLInputElement} */ (el).value) === lines(text);
  const has = innerTextOf(el);
  const folds = /^(collapse|preserve-breaks)$/.test(/** @type {any} */ (styleOf(el)).whiteSpaceCollapse);
  return lines(has) === lines(text) || (laidOut(has, folds) === laidOut(text, folds) && has.split("\n").length >= lines(text).split("\n").length);
}

/** Rich text tells an empty line as two or more, and spaces as they are drawn. @param {string} text @param {boolean} folds whether spaces in a row are drawn as one */
const laidOut = (text, folds) => (folds ? lines(text).replace(/[ \t]+/g, " ").replace(/ ?\n ?/g, "\n") : lines(text)).replace(/\n+/g, "\n").trim();

/** @param {string} text */
const lines = (text) => text.replace(/\r\n?/g, "\n").replace(/\u00a0/g, " ").replace(/\n+$/, "");
