// The page's own answer to a press or a key that reached its target: a list that closes, a field that Enter takes away, what
// comes up under the pointer. What is left of the gesture has no target then: it is completed so that nothing else gets it.

import { activeOf, afterTurn, attr, dispatch, elementsAt, flatParentOf, isConnected, rootOf, tagOf } from "./dom.js";
import { belongs, deepestAt } from "./hit.js";

/** What a page may answer. Of keys those that stand for no text: a letter that its field loses is lost. */
const ANSWERABLE = new Set(["pointerdown", "mousedown", "pointerup", "mouseup", "contextmenu", "keydown"]);
/** What asks anew. */
const ANEW = new Set(["pointerdown", "keydown"]);
/** What ends that something is held. */
const RELEASES = new Set(["pointerup", "mouseup"]);
/** How far up the like of a target is looked for. */
const UP_TO_LIKE = 4;

/**
 * What was answered in a gesture.
 * @typedef {object} Answer
 * @property {boolean} given
 * @property {Event | null} last the event that the target got in this turn of the page
 * @property {Element[]} below what lay at its place before the page had its turn
 */

/** @returns {Answer} */
export const noAnswer = () => ({ given: false, last: null, below: [] });

/** Looks, once the page's turn for an event is over, whether the page has answered it. @param {Answer} answer @param {Event} event @param {Element} target @param {boolean} place @param {() => void} then */
export function awaitAnswer(answer, event, target, place, then) {
  if (ANEW.has(event.type)) [answer.given, answer.last] = [false, null];
  if (!ANSWERABLE.has(event.type) || (event instanceof KeyboardEvent && event.key.length === 1)) return;
  answer.last = event;
  answer.below = stackAt(event, target);
  afterTurn(() => {
    if (answer.last !== event) return;
    answer.last = null;
    if (!isAnswered(event, target, place, answer.below)) return;
    answer.given = true;
    then();
  });
}

/** Whether an event that would miss is no more than what is left of an answered one. @param {Answer} answer @param {Event} event @param {Element} target @param {boolean} place */
export function isLeftOver(answer, event, target, place) {
  if (ANEW.has(event.type)) return false;
  // Of the same turn: nothing but what the page made of it has happened since.
  const { last, below } = answer;
  return answer.given || (last !== null && isAnswered(last, target, place, below));
}

/** @param {Event} event @param {Element} target */
function stackAt(event, target) {
  if (!(event instanceof MouseEvent)) return [];
  const { clientX, clientY } = event;
  const roots = new Set([document, rootOf(target)]);
  return [...roots].flatMap((root) => elementsAt(root, clientX, clientY));
}

/** Whether the target is gone, or away from where it got an event; not where its like took its place. @param {Event} event @param {Element} target @param {boolean} place @param {Element[]} below what lay there before */
function isAnswered(event, target, place, below) {
  if (!(event instanceof MouseEvent)) return !isConnected(target) || activeOf() !== target;
  const hit = deepestAt(event.clientX, event.clientY);
  if (isConnected(target)) return !belongs(hit, target, place);
  let up = hit;
  for (let i = 0; up && i < UP_TO_LIKE && !below.includes(up); i++, up = flatParentOf(up)) if (isLike(up, target)) return false;
  return true;
}

/** Whether one stands for the other: a page may make all of a list anew, labels and all. @param {Element} a @param {Element} b */
function isLike(a, b) {
  const kind = (/** @type {Element} */ el) => (attr(el, "class") ?? "").trim().split(/\s+/)[0];
  return tagOf(a) === tagOf(b) && attr(a, "role") === attr(b, "role") && kind(a) === kind(b);
}

/** Tells those who wait for the end of what is held, and nobody that lies under the pointer. @param {Event} event */
export function handRelease(event) {
  if (!RELEASES.has(event.type) || !(event instanceof MouseEvent)) return;
  const { clientX, clientY, screenX, screenY, button, buttons, detail, ctrlKey, shiftKey, altKey, metaKey } = event;
  const shared = { bubbles: true, cancelable: true, view: window, clientX, clientY, screenX, screenY, button, buttons, detail, ctrlKey, shiftKey, altKey, metaKey };
  if (!(event instanceof PointerEvent)) return void dispatch(document, new MouseEvent(event.type, shared));
  const { pointerId, pointerType, isPrimary } = event;
  dispatch(document, new PointerEvent(event.type, { ...shared, pointerId, pointerType, isPrimary }));
}
