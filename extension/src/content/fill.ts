// Filling, choosing and ticking: done by the page script in one turn with its check (input/checked.js), then read back. A page
// that takes a value back or makes another of it within the next frames is told of, never taken for a success.

import { clickOn, missedText } from "./click.js";
import { callOf, isSensitive } from "./describe.js";
import { specOf } from "./held.js";
import { elapse, folded, page, type Facts } from "./pagescript.js";
import type { ActionResult } from "../shared/protocol.js";
import { STOPPED } from "../shared/wire.js";

/** So long a page may take to answer to a value, ms. */
const ANSWERED = 120;
/** So long something may take to be ticked, ms. */
const TICKED = 1500;

export const done = (message: string): ActionResult => ({ success: true, message });
export const failed = (message: string): ActionResult => ({ success: false, message });

/** Puts a text into a field, and reads it back. */
export async function fill(facts: Facts, value: string, isStopped: () => boolean): Promise<ActionResult> {
  const { n } = facts;
  const kind = page.editKind(n);
  if (kind === "select") return select(facts, value, isStopped);
  if (kind === "file") return failed(`文件需要用户自己选择: ${callOf(facts)}`);
  if (kind === "none") return failed(`元素不能填充: ${callOf(facts)}`);
  const aimed = await page.aim(n);
  if (isStopped()) return failed(STOPPED);
  if (!aimed) return failed("未找到目标元素");
  if (!aimed.editable || !aimed.enabled) return failed(`元素不可编辑: ${callOf(facts)}`);
  if (aimed.behind) return failed(missedText({ missed: "covered", by: aimed.behind.name }, facts));
  page.focus(n);
  const outcome = page.checked(specOf("keyboard", facts), "putWhole", value);
  if ("refused" in outcome) return failed(missedText({ missed: outcome.refused === "relabelled" ? "changed" : outcome.refused === "disabled" ? "disabled" : outcome.refused === "inert" ? "covered" : "gone" }, facts));
  if (!outcome.done?.ok) return failed(`填充失败: ${callOf(facts)} (${outcome.done?.reason ?? "?"})`);
  await elapse(ANSWERED);
  const shown = isSensitive(n, facts) ? "••••" : value;
  if (!holds(n, kind, value)) {
    const now = page.facts(n);
    return failed(`填充后的值与要求不符: ${callOf(facts)}${now && !isSensitive(n, now) ? ` (现在是 ${now.value ?? ""})` : ""}`);
  }
  return done(`已填充: ${shown}`);
}

/** Whether a field holds what was put in; of those with a form of their own, as they write it. */
function holds(n: number, kind: string, value: string): boolean {
  if (page.holds(n, value)) return true;
  if (kind !== "set") return false;
  const el = page.element(n);
  const now = el instanceof HTMLInputElement ? el.value : "";
  return now !== "" && (now.toLowerCase() === value.trim().toLowerCase() || Number(now) === Number(value) || now === value.trim().replace(" ", "T"));
}

/** Chooses in a native list; several, separated by commas or lines, where it takes several. */
export async function select(facts: Facts, value: string, isStopped: () => boolean): Promise<ActionResult> {
  const { n } = facts;
  const el = page.element(n);
  if (!(el instanceof HTMLSelectElement)) return failed(`元素不是下拉框: ${callOf(facts)}`);
  const labels = [...el.options].map((option) => option.label.trim());
  const wanted = el.multiple && !labels.includes(value.trim()) ? value.split(/[,，、\n]/).map((one) => one.trim()).filter(Boolean) : [value];
  await page.aim(n);
  if (isStopped()) return failed(STOPPED);
  const outcome = page.checked(specOf("keyboard", facts), "choose", wanted);
  if ("refused" in outcome) return failed(missedText({ missed: outcome.refused === "disabled" ? "disabled" : outcome.refused === "relabelled" ? "changed" : outcome.refused === "inert" ? "covered" : "gone" }, facts));
  if (!outcome.done?.ok) return failed(`选择失败: ${callOf(facts)} (${outcome.done?.reason ?? "?"})`);
  await elapse(ANSWERED);
  const chosen = [...el.selectedOptions];
  const isSo = chosen.length === wanted.length && wanted.every((want) => chosen.some((option) => folded(option.label) === folded(want) || option.value === want || `#${option.index}` === want.trim()));
  if (!isSo) return failed(`选择后的值与要求不符: ${callOf(facts)} (现在是 ${chosen.map((option) => option.label.trim()).join(", ")})`);
  return done(`已选择: ${chosen.map((option) => option.label.trim()).join(", ")}`);
}

const OFF = /^(false|off|no|0|unchecked|uncheck|否|取消|取消勾选|不勾选|未勾选)$/i;

/** Ticks, or takes the tick away where the value says so, and reads it back. */
export async function check(facts: Facts, value: string | undefined, isStopped: () => boolean): Promise<ActionResult> {
  const { n } = facts;
  if (facts.checked === null) return failed(`元素不能勾选: ${callOf(facts)}`);
  const wanted = !OFF.test((value ?? "").trim());
  const message = done(`${wanted ? "已勾选" : "已取消勾选"}: ${callOf(facts)}`);
  if (isTicked(n) === wanted) return message;
  if (!wanted && /radio/.test(facts.role)) return failed(`单选框不能取消勾选: ${callOf(facts)}`);
  const missed = await clickOn(facts, isStopped);
  if (missed) return failed(missedText(missed, facts));
  for (let waited = 0; isTicked(n) !== wanted; waited += 50) {
    if (waited >= TICKED) return failed(`勾选状态没有改变: ${callOf(facts)}`);
    await elapse(50);
  }
  await elapse(ANSWERED);
  return isTicked(n) === wanted ? message : failed(`勾选状态没有改变: ${callOf(facts)}`);
}

/** Null: it is half ticked, or gone. */
function isTicked(n: number): boolean | null {
  const el = page.element(n);
  if (el instanceof HTMLInputElement && el.type === "checkbox" && el.indeterminate) return null;
  return page.facts(n)?.checked ?? null;
}
