// The tools as the server is told of them, and the check of what a model makes of them.

import type { Action, ActionName, Call, Direction, ElementType, Region, Target, ToolName } from "./protocol.js";

export const ACTIONS: readonly ActionName[] = ["fill", "click", "highlight", "underline", "select", "check", "scroll", "read"];
export const DIRECTIONS: readonly Direction[] = ["up", "down", "top", "bottom"];
export const REGIONS: readonly Region[] = ["form", "header", "sidebar", "footer", "below_viewport"];
export const TYPES: readonly ElementType[] = ["input", "button", "link", "select", "all"];
const TOOLS: readonly ToolName[] = ["page_action", "request_more_elements", "get_selected_text", "clear_ai_styles"];

/** Most actions in a batch: more than a person reads before approving. */
export const ACTIONS_MAX = 30;
/** Longest text in an argument, characters. */
const TEXT_MAX = 20000;

const text = (description: string) => ({ type: "string", description });
const choice = (values: readonly string[], description: string) => ({ type: "string", enum: values, description });

const ACTION = {
  type: "object",
  properties: {
    action: choice(ACTIONS, "操作类型: fill(填充输入框), click(点击), highlight(高亮), underline(下划线), select(选择下拉), check(勾选), scroll(滚动), read(读取内容)"),
    target: {
      type: "object",
      description: "目标元素",
      properties: {
        elementId: text("元素ID (从页面上下文获取)"),
        selector: text("CSS选择器 (备用)"),
        description: text("元素描述 (用于确认)"),
      },
    },
    params: {
      type: "object",
      description: "操作参数",
      properties: {
        value: text("填充的值或选择的选项"),
        color: text("高亮颜色 (如 #ffeb3b)"),
        direction: choice(DIRECTIONS, "滚动方向"),
      },
    },
  },
  required: ["action", "target"],
};

/** `browser_tools` of a request. */
export const BROWSER_TOOLS = [
  {
    name: "page_action",
    description: "在用户当前浏览的网页上执行操作，如填充输入框、点击按钮、高亮文字等。可以批量执行多个操作。",
    parameters: { type: "object", properties: { actions: { type: "array", description: "要执行的操作列表", items: ACTION } }, required: ["actions"] },
  },
  {
    name: "request_more_elements",
    description: "当前页面元素信息不足以完成用户请求时，请求特定区域或类型的更多元素。",
    parameters: {
      type: "object",
      properties: {
        region: choice(REGIONS, "页面区域: form(表单区域), header(页头), sidebar(侧边栏), footer(页脚), below_viewport(视口下方)"),
        elementType: choice(TYPES, "元素类型: input(输入框), button(按钮), link(链接), select(下拉框), all(所有)"),
        keyword: text("关键词筛选，匹配元素的文本、placeholder、label等"),
      },
    },
  },
  { name: "get_selected_text", description: "获取用户在页面上选中的文字，用于对选中内容进行操作。", parameters: { type: "object", properties: {} } },
  { name: "clear_ai_styles", description: "清除 AI 在页面上添加的所有高亮和下划线样式，恢复页面原始状态。", parameters: { type: "object", properties: {} } },
];

/** What is wrong with arguments: where, and what was expected there. */
export class BadArguments extends Error {}

type Fields = Record<string, unknown>;

/** The members of an object that may have these and no others. */
function fields(value: unknown, at: string, known: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new BadArguments(`${at}: object`);
  const odd = Object.keys(value).find((key) => !known.includes(key));
  if (odd !== undefined) throw new BadArguments(`${at}.${odd.slice(0, 60)}: ∉ ${known.join(" | ") || "{}"}`);
  return value as Fields;
}

function optionalText(of: Fields, key: string, at: string): string | undefined {
  const value = of[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw new BadArguments(`${at}.${key}: string`);
  if (value.length > TEXT_MAX) throw new BadArguments(`${at}.${key}: ≤ ${TEXT_MAX}`);
  return value;
}

function optionalChoice<T extends string>(of: Fields, key: string, at: string, known: readonly T[]): T | undefined {
  const value = optionalText(of, key, at);
  if (value === undefined) return undefined;
  if (!known.includes(value as T)) throw new BadArguments(`${at}.${key}: ${known.join(" | ")}`);
  return value as T;
}

/** Without the members that are undefined. */
function given<T extends object>(of: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };
}

const COLOR = /^(#[0-9a-f]{3,4}|#[0-9a-f]{6}|#[0-9a-f]{8}|[a-z]{3,30}|rgba?\([\d\s.,%/]{3,40}\)|hsla?\([\d\s.,%/deg]{3,40}\))$/i;

function checkAction(value: unknown, at: string): Action {
  const of = fields(value, at, ["action", "target", "params"]);
  const action = optionalChoice(of, "action", at, ACTIONS);
  if (!action) throw new BadArguments(`${at}.action: ${ACTIONS.join(" | ")}`);
  const aim = fields(of.target, `${at}.target`, ["elementId", "selector", "description"]);
  const target: Target = given({
    elementId: optionalText(aim, "elementId", `${at}.target`),
    selector: optionalText(aim, "selector", `${at}.target`),
    description: optionalText(aim, "description", `${at}.target`),
  });
  const params = of.params === undefined || of.params === null ? {} : fields(of.params, `${at}.params`, ["value", "color", "direction"]);
  const value_ = optionalText(params, "value", `${at}.params`);
  const color = optionalText(params, "color", `${at}.params`);
  if (color !== undefined && !COLOR.test(color.trim())) throw new BadArguments(`${at}.params.color: #rrggbb`);
  const direction = optionalChoice(params, "direction", `${at}.params`, DIRECTIONS);
  if ((action === "fill" || action === "select") && value_ === undefined) throw new BadArguments(`${at}.params.value: string`);
  return { action, target, params: given({ value: value_, color: color?.trim(), direction }) };
}

export const isBrowserTool = (name: string): name is ToolName => TOOLS.includes(name as ToolName);

/** A call of one of ours, as its schema has it. Throws what is wrong with it. */
export function checkCall(tool: ToolName, args: unknown): Call {
  switch (tool) {
    case "page_action": {
      const { actions } = fields(args, tool, ["actions"]);
      if (!Array.isArray(actions) || !actions.length) throw new BadArguments(`${tool}.actions: [ … ]`);
      if (actions.length > ACTIONS_MAX) throw new BadArguments(`${tool}.actions: ≤ ${ACTIONS_MAX}`);
      return { tool, args: { actions: actions.map((one, i) => checkAction(one, `actions[${i}]`)) } };
    }
    case "request_more_elements": {
      const of = fields(args ?? {}, tool, ["region", "elementType", "keyword"]);
      const region = optionalChoice(of, "region", tool, REGIONS);
      const elementType = optionalChoice(of, "elementType", tool, TYPES);
      return { tool, args: given({ region, elementType, keyword: optionalText(of, "keyword", tool) }) };
    }
    case "get_selected_text":
    case "clear_ai_styles":
      fields(args ?? {}, tool, []);
      return { tool, args: {} };
  }
}
