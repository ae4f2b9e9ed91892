// Links whose address is a script.

import { flatParentOf, tagOf } from "../dom/dom.js";
import { noteAddressQueued } from "./address-run.js";
import { linkOf } from "../capture/links.js";
import { hitOf } from "../input/event-hit.js";

/** How far up a link is looked for. */
const FAR_UP = 100;

/** Addresses that run nothing. */
const NOTHING = /^javascript:\s*(void\s*\(?\s*0\s*\)?)?\s*;*\s*$/i;

/** Whether a press of an element runs the script of a link's address. @param {Element | null} el */
export function runsAddress(el) {
  for (let up = el, i = 0; up && i < FAR_UP; i++, up = flatParentOf(up)) {
    const address = tagOf(up) === "a" || tagOf(up) === "area" ? (linkOf(up) ?? "") : "";
    if (/^javascript:/i.test(address)) return !NOTHING.test(address);
  }
  return false;
}

/** Notes when the script runs that a click brings about. @param {Event} event @param {() => void} flush hands over the changes until then */
export function noteAddressClick(event, flush) {
  if (event.type === "click" && runsAddress(hitOf(event))) noteAddressQueued(event, flush);
}
