// What an action is aimed at: an element by its id, else by a selector, confirmed by its description; or what is selected.

import { confirms } from "./confirm.js";
import { callOf, describe } from "./describe.js";
import { named } from "./ids.js";
import { look } from "./look.js";
import { page, type Facts } from "./pagescript.js";
import { selectedText } from "./selection.js";
import type { Action } from "../shared/protocol.js";

export type Found = { kind: "element"; facts: Facts } | { kind: "selection"; text: string } | { kind: "page" } | { kind: "problem"; problem: string };

const problem = (text: string): Found => ({ kind: "problem", problem: text });
const NOT_FOUND = "未找到目标元素";
/** So many of those that a selector finds are looked at. */
const MATCHES_MAX = 200;

/** Finds what an action is about, as the page is now. */
export function find({ action, target }: Action): Found {
  const { elementId, selector, description } = target;
  if (elementId) {
    const one = named(elementId);
    if (one === "changed") return problem(`页面元素已变化: ${elementId}`);
    // Another way to name it is for pages whose ids are gone, never for what an id does name.
    if (one === "unknown") return selector ? bySelector(selector, description) : problem(NOT_FOUND);
    return confirmed(one.facts, description);
  }
  if (selector) return bySelector(selector, description);
  if (action === "highlight" || action === "underline") return bySelection();
  if (action === "scroll") return { kind: "page" };
  if (action === "read") return selectedText() ? bySelection() : { kind: "page" };
  return problem(description ? `未找到目标元素: ${description}` : NOT_FOUND);
}

function bySelection(): Found {
  const text = selectedText();
  return text.trim() ? { kind: "selection", text } : problem("没有选中的文字");
}

function confirmed(facts: Facts, description: string | undefined): Found {
  if (description && !confirms(facts.n, facts, description)) return problem(`元素与描述不符: 描述为 ${description}，实际为 ${describe(facts.n, facts)}`);
  return { kind: "element", facts };
}

function bySelector(selector: string, description: string | undefined): Found {
  let numbers: number[];
  try {
    numbers = page.search({ by: "css", query: selector });
    // It may be in a shadow root that no look has come by yet.
    if (!numbers.length && look().length) numbers = page.search({ by: "css", query: selector });
  } catch {
    return problem(`选择器无效: ${selector}`);
  }
  const all = numbers.slice(0, MATCHES_MAX).map((n) => page.facts(n)).filter((facts): facts is Facts => facts !== null);
  const seen = all.filter((facts) => facts.visible || facts.type === "checkbox" || facts.type === "radio");
  const fitting = description ? seen.filter((facts) => confirms(facts.n, facts, description)) : seen;
  const [one] = fitting;
  if (one && fitting.length === 1) return { kind: "element", facts: one };
  if (fitting.length > 1) return problem(`选择器匹配了 ${numbers.length} 个元素，无法确定目标: ${fitting.slice(0, 3).map((facts) => callOf(facts)).join(", ")}`);
  const [near] = seen;
  return near && description ? confirmed(near, description) : problem(NOT_FOUND);
}
