// What the attributes of an element say of it, and which elements are known to listen for clicks.

import { attrNames, hasAny } from "./dom.js";

/** Bits of what the attributes of an element say. */
export const ROLE = 1;
export const ARIA = 2;
export const TAB = 4;
export const HANDLER = 8;
export const EDIT = 16;
export const DRAG = 32;
export const INERT = 64;
export const ASIDE = 128;
export const CLASS = 256;
export const HREF = 512;
/** Something else that may bear on role, name or label: id, title and their like. */
export const TOLD = 1024;

const HANDLERS = new Set(["onclick", "onmousedown", "onpointerdown", "onmouseup", "onpointerup", "ondblclick", "ontouchstart"]);
/** @type {Map<string, number>} */
const ATTRIBUTE_BITS = new Map([...[...HANDLERS].map((name) => /** @type {[string, number]} */ ([name, HANDLER])), ["role", ROLE], ["tabindex", TAB], ["contenteditable", EDIT], ["draggable", DRAG], ["inert", INERT], ["aria-hidden", ASIDE | ARIA], ["class", CLASS], ["href", HREF], ["id", TOLD], ["title", TOLD], ["list", TOLD], ["popover", TOLD], ["xlink:href", TOLD]]);

/** Elements known to have listeners of their own for clicks and the like. @type {WeakSet<Element>} */
const listening = new WeakSet();
/** Elements that only pass clicks on to rules for what is inside them. @type {WeakSet<Element>} */
const delegating = new WeakSet();

let marks = 0;

/** @param {WeakSet<Element>} set @param {Element} el */
function mark(set, el) {
  if (set.has(el)) return;
  set.add(el);
  marks += 1;
}

/** @param {Element} el */
export const markListening = (el) => mark(listening, el);
/** @param {Element} el */
export const markDelegating = (el) => mark(delegating, el);
/** How many elements were marked so far. */
export const marksNow = () => marks;

/** Reads the attributes once. @param {Element} el @returns {number} */
export function scanAttributes(el) {
  if (!hasAny(el)) return 0;
  let bits = 0;
  for (const name of attrNames(el)) bits |= ATTRIBUTE_BITS.get(name) ?? (name.startsWith("aria-") ? ARIA : 0);
  return bits;
}

/** Whether clicks are listened for at this very element. @param {Element} el @param {number} [bits] */
export const isListening = (el, bits = scanAttributes(el)) => (bits & HANDLER) !== 0 || listening.has(el);

/** Whether it only delegates. @param {Element} el */
export const isDelegating = (el) => delegating.has(el);
