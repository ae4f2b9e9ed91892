// A click by script: the events of a pointer, each checked as it arrives. Before each event the page script says whether the
// target is still what was shown and what is hit at the point; inside it, as it comes to the target, it is asked again, since a
// listener of the page above may have changed the target meanwhile.

import { callOf } from "./describe.js";
import { bringFrameIntoView, isOpenAbove } from "./frames.js";
import { specOf } from "./held.js";
import { page, type Facts, type Spec } from "./pagescript.js";
import { STOPPED } from "../shared/wire.js";

/** Why a target got no click. */
export type Missed = "gone" | "changed" | "covered" | "disabled" | "moving" | "intercepted" | "unseen" | "stopped";

interface Step {
  type: string;
  make: (how: PointerEventInit) => Event;
}

const pointer = (type: string, buttons: number): Step => ({ type, make: (how) => new PointerEvent(type, { ...how, buttons, pressure: buttons ? 0.5 : 0, pointerId: 1, pointerType: "mouse", isPrimary: true, detail: 0 }) });
const mouse = (type: string, buttons: number): Step => ({ type, make: (how) => new MouseEvent(type, { ...how, buttons, detail: 1 }) });
const click: Step = { type: "click", make: (how) => new PointerEvent("click", { ...how, buttons: 0, detail: 1, pointerId: 1, pointerType: "mouse" }) };
const COMING = [pointer("pointerover", 0), mouse("mouseover", 0), pointer("pointermove", 0), mouse("mousemove", 0)];
const PRESS = [pointer("pointerdown", 1), mouse("mousedown", 1)];
const RELEASE = [pointer("pointerup", 0), mouse("mouseup", 0)];

/** Clicks the element, unless the person stops before it can be reached; null: it got the click. */
export async function clickOn(shown: Facts, isStopped: () => boolean): Promise<{ missed: Missed; by?: string } | null> {
  const aimed = await page.aim(shown.n);
  if (isStopped()) return { missed: "stopped" };
  if (!aimed) return { missed: "gone" };
  if (!aimed.enabled) return { missed: "disabled" };
  if (aimed.behind) return { missed: "covered", by: aimed.behind.name || aimed.behind.role };
  if (!aimed.point) return aimed.cover ? { missed: "covered", by: aimed.cover.name || aimed.cover.role } : { missed: aimed.still ? "unseen" : "moving" };
  if (!isOpenAbove(...aimed.point)) bringFrameIntoView();
  if (!isOpenAbove(...aimed.point)) return { missed: "covered" };
  const spec = specOf("pointer", shown);
  const missed = gesture(spec, aimed.point);
  return missed && { missed };
}

/** The events, all in one turn of the page: whatever changes meanwhile is the page's answer to them. */
function gesture(spec: Spec, [x, y]: [number, number]): Missed | null {
  let isPressed = false;
  for (const step of [...COMING, ...PRESS, ...RELEASE, click]) {
    const { missed, prevented } = send(spec, step, x, y);
    // What the press itself opens over the target, or takes away with it, has had what it was for.
    if (isPressed && (missed === "covered" || missed === "gone")) return null;
    if (missed && (missed !== "intercepted" || step === click)) return missed;
    if (step.type !== "mousedown" || missed) continue;
    isPressed = true;
    // What the browser does at a press that nobody prevents.
    if (!prevented) page.focus(spec.target);
  }
  return null;
}

interface Sent {
  missed: Missed | null;
  prevented: boolean;
}

/** Sends one event to what is hit; nothing missed: it came to the target, which was what was shown. */
function send(spec: Spec, { type, make }: Step, x: number, y: number): Sent {
  const target = page.checkedElement(spec);
  if (typeof target === "string") return { missed: reason(target), prevented: false };
  const hit = isOpenAbove(x, y) ? page.reaches(spec.target, x, y) : null;
  if (!hit) return { missed: "covered", prevented: false };
  let missed: Missed | null = "intercepted";
  const arrive = (event: Event) => {
    const now = page.checkedElement(spec);
    missed = typeof now === "string" ? reason(now) : null;
    if (!missed) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  EventTarget.prototype.addEventListener.call(hit, type, arrive, { capture: true });
  const event = make({ bubbles: true, cancelable: true, composed: true, view: window, clientX: x, clientY: y, screenX: x + screenX, screenY: y + screenY, button: 0 });
  const went = EventTarget.prototype.dispatchEvent.call(hit, event);
  EventTarget.prototype.removeEventListener.call(hit, type, arrive, { capture: true });
  return { missed, prevented: !went };
}

const reason = (refused: string): Missed => (refused === "disabled" ? "disabled" : refused === "relabelled" ? "changed" : refused === "inert" ? "covered" : "gone");

/** In words, for the model. */
export function missedText({ missed, by }: { missed: Missed; by?: string }, facts: Facts): string {
  const name = callOf(facts);
  switch (missed) {
    case "gone":
      return "未找到目标元素";
    case "changed":
      return `页面元素已变化: ${name}`;
    case "covered":
      return `元素被遮挡: ${name}${by ? ` (被 ${by} 遮挡)` : ""}`;
    case "disabled":
      return `元素不可用: ${name}`;
    case "moving":
      return `元素正在移动: ${name}`;
    case "unseen":
      return `元素不可见: ${name}`;
    case "intercepted":
      return `点击未送达: ${name}`;
    case "stopped":
      return STOPPED;
  }
}
