// The page's own answer to a press or a key that reached its target: a list that closes, a field that Enter takes away, what
// comes up under the pointer. What is left of the gesture has no target then. It is stopped, as anything that misses, but
// it isn't why the gesture was withheld: the gesture was done. So is what is left for a target that was relabelled in answer,
// as a button that plays and pauses at the press: whether that was all that it waited for, nobody can say.

import { activeOf, afterTurn, attr, dispatch, documentElementOf, elementsAt, flatParentOf, isConnected, rootOf, tagOf } from "../dom/dom.js";
import { inputChanges } from "../changes/cause.js";
import { belongs, deepestAt } from "../dom/hit.js";
import { versionNow } from "../dom/version.js";

/** What a page may answer. Of keys those that stand for no text: a letter that its field loses is lost. */
const ANSWERABLE = new Set(["pointerdown", "mousedown", "pointerup", "mouseup", "contextmenu", "keydown"]);
/** With these a new press or key begins: what was answered before says nothing of it. */
const BEGINNINGS = new Set(["pointerdown", "keydown"]);
/** What may be left of a gesture once it was answered. */
const LEFT_OVER = new Set(["mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu", "keypress", "keyup"]);
/** Events that end a press: drags of pages' own wait for them wherever they come. */
const RELEASES = new Set(["pointerup", "mouseup"]);

/**
 * What was answered in a gesture.
 * @typedef {object} Answer
 * @property {boolean} given
 * @property {Event | null} relabelled the one that the target was relabelled or disabled in answer to
 * @property {Event | null} last the event that the target got in this turn of the page
 * @property {Element[]} below what lay at its place before the page had its turn
 * @property {Element | null} focus what had the keyboard then
 * @property {number} changes how many changes input had made by then
 */

/** Whether the target isn't what it was aimed at as. @typedef {(target: Element) => boolean} IsOther */

/** @returns {Answer} */
export const noAnswer = () => ({ given: false, relabelled: null, last: null, below: [], focus: null, changes: 0 });

/**
 * Looks, once the page's turn for an event is over, whether the page has answered it.
 * @param {Answer} answer @param {Event} event @param {Element} target @param {boolean} place @param {IsOther} isAnother
 */
export function awaitAnswer(answer, event, target, place, isAnother) {
  if (BEGINNINGS.has(event.type)) [answer.given, answer.relabelled, answer.last] = [false, null, null];
  if (!ANSWERABLE.has(event.type) || (event instanceof KeyboardEvent && event.key.length === 1)) return;
  versionNow();
  Object.assign(answer, { last: event, below: stackAt(event, target), focus: activeOf(), changes: inputChanges() });
  afterTurn(() => {
    if (answer.last === event) closeTurn(answer, target, place, isAnother);
  });
}

/** The page's turn for the last event is over. @param {Answer} answer @param {Element} target @param {boolean} place @param {IsOther} isAnother */
export function closeTurn(answer, target, place, isAnother) {
  answer.given ||= isAnswered(answer, target, place);
  noteRelabelled(answer, target, isAnother);
  answer.last = null;
}

/** Notes it where a listener made the target another in answer to the last event. @param {Answer} answer @param {Element} target @param {IsOther} isAnother */
function noteRelabelled(answer, target, isAnother) {
  const { last } = answer;
  if (last === null || answer.relabelled || !isConnected(target)) return;
  versionNow();
  if (inputChanges() !== answer.changes && isAnother(target)) answer.relabelled = last;
}

/** The event in answer to which a target was made another one, where this one is no more than what is left of the gesture. @param {Answer} answer @param {Event} event @param {Element} target @param {IsOther} isAnother */
export function relabelledAt(answer, event, target, isAnother) {
  // A key that was let go did what it does when it was pressed, such as to take text away.
  if (event.type === "keyup" || !LEFT_OVER.has(event.type) || event === answer.last) return null;
  noteRelabelled(answer, target, isAnother);
  return answer.relabelled;
}

/** Whether an event that misses is no more than what is left of an answered one. @param {Answer} answer @param {Event} event @param {Element} target @param {boolean} place */
export function isLeftOver(answer, event, target, place) {
  // One that the page stops or spoils on its way to the target was meant for it.
  if (!LEFT_OVER.has(event.type) || event === answer.last) return false;
  // Of the same turn: nothing but what the page made of it has happened since.
  answer.given ||= isAnswered(answer, target, place);
  return answer.given;
}

/** Whether the page sends a form itself, in answer to an event that the target got or while it deals with one. @param {Answer} answer @param {Event} event */
export const isOwnSubmit = ({ given, last }, event) => event.type === "submit" && (given || (last !== null && last.eventPhase !== 0));

/** @param {Event} event @param {Element} target */
function stackAt(event, target) {
  if (!(event instanceof MouseEvent)) return [];
  const { clientX, clientY } = event;
  const roots = new Set([document, rootOf(target)]);
  return [...roots].flatMap((root) => elementsAt(root, clientX, clientY));
}

/**
 * Whether a listener took the target away, or moved or covered it where it got the event, or passed the keyboard on; not where
 * the like of it took its place. @param {Answer} answer @param {Element} target @param {boolean} place
 */
function isAnswered({ last, below, focus, changes }, target, place) {
  if (last === null) return false;
  if (!(last instanceof MouseEvent)) return !isConnected(target) || activeOf() !== focus;
  // What moves without a listener's doing, such as an animation that goes on, is no answer.
  versionNow();
  if (inputChanges() === changes) return false;
  const hit = deepestAt(last.clientX, last.clientY);
  if (isConnected(target)) return !belongs(hit, target, place);
  let up = hit;
  for (; up && !below.includes(up); up = flatParentOf(up)) if (isLike(up, target)) return false;
  return true;
}

/** Whether one stands for the other: a page may make all of a list anew, labels and all. @param {Element} a @param {Element} b */
function isLike(a, b) {
  if (tagOf(a) !== tagOf(b) || attr(a, "role") !== attr(b, "role")) return false;
  const [some, others] = [a, b].map((el) => (attr(el, "class") ?? "").split(/\s+/).filter(Boolean));
  return some.length === 0 || others.length === 0 || some.some((one) => others.includes(one));
}

/** Tells those who wait for the end of a press that it is over, once this event is, and nobody that lies under the pointer. @param {Event} event */
export function handRelease(event) {
  // A menu that comes up under the pointer would close by a release that isn't in it.
  if (!RELEASES.has(event.type) || !(event instanceof MouseEvent) || event.button === 2) return;
  const { clientX, clientY, screenX, screenY, button, buttons, detail, ctrlKey, shiftKey, altKey, metaKey } = event;
  const shared = { bubbles: true, cancelable: true, view: window, clientX, clientY, screenX, screenY, button, buttons, detail, ctrlKey, shiftKey, altKey, metaKey };
  const { pointerId, pointerType, isPrimary } = /** @type {PointerEvent} */ (event);
  const release = event instanceof PointerEvent ? new PointerEvent(event.type, { ...shared, pointerId, pointerType, isPrimary }) : new MouseEvent(event.type, shared);
  afterTurn(() => void dispatch(documentElementOf(document) ?? document, release));
}

/** Tells those who had a press that it is called off: nothing is to come of it. @param {Event} event @param {Element | null} hit */
export function cancelPress(event, hit) {
  if (event.type !== "pointerup" || !(event instanceof PointerEvent)) return;
  const { pointerId, pointerType, isPrimary } = event;
  const cancel = new PointerEvent("pointercancel", { bubbles: true, pointerId, pointerType, isPrimary });
  afterTurn(() => void dispatch(hit ?? documentElementOf(document) ?? document, cancel));
}
