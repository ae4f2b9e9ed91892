// How elements are written for the model and for the person: 按钮:搜索, 输入框:搜索(placeholder:搜索).

import { folded, page, STATE, type Facts } from "./pagescript.js";
import type { Kind } from "../shared/protocol.js";

/** What the kinds of elements are called, by their roles. */
const KINDS: Record<string, string> = {
  button: "按钮",
  link: "链接",
  textbox: "输入框",
  searchbox: "输入框",
  spinbutton: "输入框",
  combobox: "输入框",
  checkbox: "复选框",
  menuitemcheckbox: "复选框",
  radio: "单选框",
  menuitemradio: "单选框",
  switch: "开关",
  listbox: "列表框",
  option: "选项",
  tab: "标签页",
  menuitem: "菜单项",
  treeitem: "树节点",
  slider: "滑块",
  listitem: "列表项",
  row: "行",
  cell: "单元格",
  gridcell: "单元格",
  img: "图片",
  iframe: "框架",
};

const VALUE_SHOWN = 80;
const NAME_SHOWN = 120;
const OPTIONS_SHOWN = 12;
/** What nobody reads but its owner: no value of it is told. */
const SENSITIVE = /\b(current-password|new-password|one-time-code|cc-(number|csc|exp|exp-month|exp-year))\b/i;

/** The kinds as the panel names them, in its own language. */
const KIND_WORDS: Record<string, Kind> = { 输入框: "field", 下拉框: "list", 列表框: "list", 文件框: "file", 复选框: "checkbox", 单选框: "radio", 开关: "switch", 按钮: "button", 链接: "link", 标签页: "tab", 菜单项: "item", 选项: "item", 图片: "image" };

export const kindWord = (facts: Facts): Kind => KIND_WORDS[kindOf(facts)] ?? "element";

export function kindOf(facts: Facts): string {
  if (facts.tag === "select") return "下拉框";
  if (facts.type === "file") return "文件框";
  return KINDS[facts.role] ?? "元素";
}

/** Whether its value is for nobody's eyes. */
export function isSensitive(n: number, facts: Facts): boolean {
  const el = page.element(n);
  return facts.type === "password" || (el !== null && SENSITIVE.test(Element.prototype.getAttribute.call(el, "autocomplete") ?? "")) || /^•+$/.test(facts.value ?? "");
}

const cut = (text: string, most: number): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
};

/** What it is called: by its name, its text, its hint. */
export const callOf = (facts: Facts): string => cut(facts.name || facts.said?.text || facts.text || facts.placeholder || facts.title || facts.hint || "", NAME_SHOWN);

/** An element in one line. */
export function describe(n: number, facts: Facts): string {
  const name = callOf(facts);
  const more: string[] = [];
  if (facts.placeholder) more.push(`placeholder:${cut(facts.placeholder, VALUE_SHOWN)}`);
  const isHolder = facts.editable || facts.tag === "select" || facts.role === "slider";
  if (isHolder && facts.value && !isSensitive(n, facts)) more.push(`value:${cut(facts.value, VALUE_SHOWN)}`);
  if (facts.options.length) more.push(`options:${facts.options.slice(0, OPTIONS_SHOWN).map((option) => cut(option.label, 30)).join("/")}${facts.options.length > OPTIONS_SHOWN ? "/…" : ""}`);
  if (facts.checked !== null && facts.role !== "button") more.push(facts.checked ? "已勾选" : "未勾选");
  if (!facts.enabled) more.push("不可用");
  return `${kindOf(facts)}:${name}${more.length ? `(${more.join(", ")})` : ""}`;
}

/** All that an element may be found by. */
export const textsOf = (facts: Facts): string[] => [facts.name, facts.said?.text, facts.text, facts.placeholder, facts.title, facts.alt, facts.hint].filter((text): text is string => Boolean(text));

/** Whether a word stands in one of its texts, its label and placeholder among them. */
export const mentions = (facts: Facts, word: string): boolean => textsOf(facts).some((text) => folded(text).includes(word));

export const isIn = (facts: Facts, bit: number): boolean => (facts.states & bit) !== 0;

/** Whether a person could operate it where it stands now. */
export const isOpen = (facts: Facts): boolean => facts.visible && facts.enabled && !facts.behind && !isIn(facts, STATE.covered);
