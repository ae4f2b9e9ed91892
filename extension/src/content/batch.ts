// A batch of actions: what it is about is shown before it is approved, and each action is done only while its element is what
// was shown.

import { check, done, failed, fill, select } from "./fill.js";
import { clickOn, missedText } from "./click.js";
import { callOf, isSensitive, kindWord } from "./describe.js";
import { printOf, same, type Print } from "./held.js";
import { page, type Facts } from "./pagescript.js";
import { scroll } from "./scroll.js";
import { selectedParts, selectedText } from "./selection.js";
import { sinceNow } from "./stopping.js";
import { isColor, styleElement, styleRanges } from "./styles.js";
import { find, type Found } from "./targets.js";
import { STALE } from "../shared/wire.js";
import type { Action, ActionResult, Shown, Step } from "../shared/protocol.js";

/** Longest text that is read, characters. */
const READ_MAX = 4000;

/** What an action was shown to be about. */
type Meant = { kind: "element"; print: Print } | { kind: "selection"; text: string } | { kind: "page" } | { kind: "problem"; problem: string };

export interface Planned {
  action: Action;
  meant: Meant;
}

/** What each action is about, now. */
export function plan(actions: Action[], labels?: string[]): { planned: Planned[]; shown: Shown[]; marked: { n: number; label: string }[] } {
  const found = actions.map(find);
  const planned = actions.map((action, i) => ({ action, meant: meantBy(found[i] as Found) }));
  const shown = actions.map((action, i) => shownOf(action, found[i] as Found));
  const marked = found.flatMap((one, i) => (one.kind === "element" ? [{ n: one.facts.n, label: labels?.[i] ?? String(i + 1) }] : []));
  return { planned, shown, marked };
}

const meantBy = (found: Found): Meant => (found.kind === "element" ? { kind: "element", print: printOf(found.facts) } : found);

function shownOf({ action, params = {} }: Action, found: Found): Shown {
  const target = found.kind === "element" ? callOf(found.facts) : found.kind === "selection" ? found.text.slice(0, 500) : null;
  const badColor = params.color && !isColor(params.color) ? `颜色无效: ${params.color}` : null;
  return {
    action,
    target,
    kind: found.kind === "element" ? kindWord(found.facts) : found.kind === "problem" ? "element" : found.kind,
    value: params.value ?? null,
    color: params.color ?? null,
    direction: params.direction ?? null,
    problem: found.kind === "problem" ? found.problem : badColor,
  };
}

/** Whether everything is as it was shown. */
export const isAsShown = (planned: Planned[]): boolean =>
  planned.every(({ meant }) => (meant.kind === "element" ? same(meant.print) !== null : meant.kind === "selection" ? selectedText() === meant.text : true));

/** Does one action of a batch; nothing, where the person stops before it can be done. */
export async function step(planned: Planned[], at: number): Promise<Step> {
  const one = planned[at];
  if (!one) return { stale: true };
  return { stale: false, result: await attempt(one, sinceNow()) };
}

async function attempt(one: Planned, isStopped: () => boolean): Promise<ActionResult> {
  try {
    return await perform(one, isStopped);
  } catch (error) {
    return failed(`操作失败: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function perform({ action: { action, target, params = {} }, meant }: Planned, isStopped: () => boolean): Promise<ActionResult> {
  if (meant.kind === "problem") return failed(meant.problem);
  if (params.color && !isColor(params.color)) return failed(`颜色无效: ${params.color}`);
  if (meant.kind !== "element") return onNoElement(action, meant, params);
  // An action before this one may have changed it.
  const facts = same(meant.print);
  if (!facts) return failed(page.facts(meant.print.n) ? STALE : "未找到目标元素");
  switch (action) {
    case "fill":
      return fill(facts, params.value ?? "", isStopped);
    case "select":
      return select(facts, params.value ?? "", isStopped);
    case "check":
      return check(facts, params.value, isStopped);
    case "scroll":
      return scroll(facts, params.direction);
    case "read":
      return read(facts);
    case "click": {
      const missed = await clickOn(facts, isStopped);
      return missed ? failed(missedText(missed, facts)) : done(`已点击: ${target.description || callOf(facts)}`);
    }
    case "highlight":
    case "underline":
      return style(facts, action, params.color ?? null);
  }
}

function onNoElement(action: Action["action"], meant: { kind: "selection" | "page" }, params: NonNullable<Action["params"]>): ActionResult | Promise<ActionResult> {
  if (action === "scroll") return scroll(null, params.direction);
  if (action === "read") return done(`已读取: ${(meant.kind === "selection" ? selectedText() : (page.textOf(null) ?? "")).slice(0, READ_MAX)}`);
  if (action !== "highlight" && action !== "underline") return failed("未找到目标元素");
  const { ranges, field } = selectedParts();
  const color = params.color ?? null;
  if (field && !styleElement(field, action, color)) return failed("没有选中的文字");
  if (!field && !ranges.length) return failed("没有选中的文字");
  if (!field) styleRanges(ranges, action, color);
  return done(action === "highlight" ? "已高亮: 选中文字" : "已添加下划线: 选中文字");
}

function style(facts: Facts, action: "highlight" | "underline", color: string | null): ActionResult {
  const el = page.element(facts.n);
  const verb = action === "highlight" ? "已高亮" : "已添加下划线";
  return el && styleElement(el, action, color) ? done(`${verb}: ${callOf(facts)}`) : failed(`元素不能添加样式: ${callOf(facts)}`);
}

/** What an element holds or says; never what a field for passwords holds. */
function read(facts: Facts): ActionResult {
  if (isSensitive(facts.n, facts)) return failed(`不能读取敏感内容: ${callOf(facts)}`);
  const text = facts.value ?? (facts.text || page.textOf(facts.n) || facts.name || facts.alt || facts.title || "");
  return done(`已读取: ${text.slice(0, READ_MAX)}`);
}
