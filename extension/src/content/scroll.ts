// Scrolling: the page, or what the target lies in; read back by where it stands then.

import { callOf } from "./describe.js";
import { done, failed } from "./fill.js";
import { page, type Facts } from "./pagescript.js";
import type { ActionResult, Direction } from "../shared/protocol.js";

/** Of what is shown so much is scrolled at once. */
const SHARE = 0.8;
/** So often an end is scrolled to that moves away. */
const TRIES = 3;
/** Longest wait for a frame, ms. */
const FRAME_LIMIT = 1000;
const WORDS: Record<Direction, string> = { up: "向上", down: "向下", top: "到顶部", bottom: "到底部" };

/** Null: the page. */
export async function scroll(facts: Facts | null, direction: Direction | undefined): Promise<ActionResult> {
  if (facts && !direction) return bringInto(facts);
  const to = direction ?? "down";
  const n = facts?.n ?? main();
  let moved = 0;
  // What is shown may change its size meanwhile, and a page that grows as its end is reached has another end then.
  for (let tries = 0; tries < TRIES; tries++) {
    const state = page.scrollState(n);
    const way = { up: -state.height * SHARE, down: state.height * SHARE, top: -state.y, bottom: end(state) - state.y }[to];
    moved += Math.abs(way) < 1 ? 0 : Math.abs(page.scrollBy(n, 0, way).moved[1]);
    await drawn();
    await page.rest();
    const now = page.scrollState(n);
    const isThere = to === "top" ? now.y <= 1 : to === "bottom" ? now.y >= end(now) - 1 : moved >= 1;
    if (isThere) return done(`已滚动: ${WORDS[to]}`);
  }
  // A page without an end was scrolled to the one that it had.
  if (to === "bottom" && moved >= 1) return done(`已滚动: ${WORDS[to]}`);
  return failed(to === "up" || to === "top" ? "无法滚动: 已在顶部" : "无法滚动: 已在底部");
}

/** Until the page was told that it was scrolled: that comes with the next frame, which a tab in the background doesn't get. */
function drawn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, FRAME_LIMIT);
    requestAnimationFrame(() => setTimeout(resolve));
  });
}

const end = (state: { height: number; pageHeight: number }) => state.pageHeight - state.height;

async function bringInto(facts: Facts): Promise<ActionResult> {
  const aimed = await page.aim(facts.n);
  const isSeen = aimed && aimed.x + aimed.w > 0 && aimed.y + aimed.h > 0 && aimed.x < innerWidth && aimed.y < innerHeight;
  return isSeen ? done(`已滚动到: ${callOf(facts)}`) : failed(`无法滚动到: ${callOf(facts)}`);
}

/** What scrolls where the page itself doesn't: what is in the middle of it. Null: the page. */
function main(): number | null {
  const whole = page.scrollState(null);
  if (whole.pageHeight > whole.height + 1) return null;
  return page.hitAt(innerWidth / 2, innerHeight / 2)?.n ?? null;
}
