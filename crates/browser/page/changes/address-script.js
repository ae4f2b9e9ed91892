// What a link runs whose address is a script: the browser runs it in a task of its own, which the click queues. Neither an event nor a
// stack tells of what it changes at once, but its place in the queue does.

import { flatParentOf, tagOf } from "../dom/dom.js";
import { linkOf } from "../capture/links.js";
import { hitOf } from "../input/event-hit.js";

/** How far up a link is looked for. */
const FAR_UP = 100;
let isUnderWay = false;

/** Whether a script of a link's address runs now. */
export const isAddressRunning = () => isUnderWay;

/** Whether a press of an element runs the script of a link's address. @param {Element | null} el */
export function runsAddress(el) {
  for (let up = el, i = 0; up && i < FAR_UP; i++, up = flatParentOf(up)) {
    if ((tagOf(up) === "a" || tagOf(up) === "area") && /^javascript:/i.test(linkOf(up) ?? "")) return true;
  }
  return false;
}

/**
 * Notes when the script runs that a click brings about: between a task that is queued before it and one that is queued after it.
 * @param {Event} event @param {() => void} flush hands over the changes until then
 */
export function noteAddressClick(event, flush) {
  if (event.type !== "click" || !runsAddress(hitOf(event))) return;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    flush();
    isUnderWay = !isUnderWay;
    if (isUnderWay) port2.postMessage(0);
    else port1.close();
  };
  port2.postMessage(0);
}
