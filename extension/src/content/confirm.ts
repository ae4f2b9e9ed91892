// Whether an element is the one that a description means: its words must stand in one of the element's own texts, as whole
// words and numbers (engine/src/matching/expected.rs), and what it says of the kind must be so.

import { describe, kindOf, textsOf } from "./describe.js";
import { folded, type Facts } from "./pagescript.js";

/** Words for kinds of elements, and the families that they name. */
const FAMILIES: [RegExp, string][] = [
  [/(输入框|输入栏|文本框|文本域|搜索框|编辑框|文本区|input( box| field)?|text ?(box|area|field)|search (box|field|bar)|field)/, "text"],
  [/(下拉框|下拉菜单|下拉列表|选择框|drop-?down( list| menu)?|select( box)?|combo ?box)/, "choice"],
  [/(复选框|勾选框|单选框|单选按钮|开关|check ?box|radio( button)?|switch|toggle)/, "check"],
  [/(按钮|按键|链接|标签页|选项卡|菜单项|图标|button|link|tab|menu item|icon)/, "press"],
];
const OF_KIND: Record<string, string> = { 输入框: "text", 下拉框: "choice", 列表框: "choice", 复选框: "check", 单选框: "check", 开关: "check", 按钮: "press", 链接: "press", 标签页: "press", 菜单项: "press", 选项: "press" };
const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const isWordy = (c: string | undefined): boolean => c !== undefined && /[\p{L}\p{N}]/u.test(c) && !HAN.test(c);

/** Whether a text shows what is expected: whole words of it, and whole numbers. */
export function contains(actual: string, expected: string): boolean {
  const [text, wanted] = [plain(actual), plain(expected)];
  if (!wanted) return true;
  const count = [...wanted].length;
  if (count === 1 || (count === 2 && /^\p{L}+$/u.test(wanted) && !HAN.test(wanted))) {
    return text === wanted || (HAN.test(wanted) && text.split(/[^\p{L}\p{N}]+/u).includes(wanted));
  }
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!isGlued(text, at, at + wanted.length)) return true;
  }
  return false;
}

const plain = (text: string): string => folded(text).replaceAll("’", "'").replaceAll("\u2010", "-");

/** Whether a word or a number goes on over an edge of a part of a text. */
function isGlued(text: string, start: number, end: number): boolean {
  const [first, last, before, after] = [text[start], text[end - 1], text[start - 1], text[end]];
  if ((isWordy(first) && isWordy(before)) || (isWordy(last) && isWordy(after))) return true;
  const isNumber = (c: string | undefined) => c !== undefined && /\p{N}/u.test(c);
  const isSeparator = (c: string | undefined) => c !== undefined && ".,:'".includes(c);
  if (isNumber(first) && isSeparator(before) && isNumber(text[start - 2])) return true;
  if (!isNumber(last)) return false;
  return (isSeparator(after) && isNumber(text[end + 1])) || (after === " " && /^ \p{N}{3}(?!\p{N})/u.test(text.slice(end))) || (after !== undefined && "%百千万萬亿億".includes(after));
}

/** Whether the description is this element's. */
export function confirms(n: number, facts: Facts, description: string): boolean {
  const wanted = plain(description);
  if (!wanted || plain(describe(n, facts)) === wanted) return true;
  const texts = textsOf(facts);
  if (texts.some((text) => plain(text) === wanted)) return true;
  const { words, family } = parted(wanted);
  const own = OF_KIND[kindOf(facts)];
  if (family && own && family !== own) return texts.some((text) => contains(text, wanted));
  if (!words) return family !== null && family === own;
  return texts.some((text) => contains(text, words));
}

/** A description without the word for the kind at its end or its beginning (`按钮:搜索`), without quotes, and without what `desc` says in brackets. */
function parted(wanted: string): { words: string; family: string | null } {
  let words = wanted.replace(/\((placeholder|value|options):.*\)$/, "").trim();
  let family: string | null = null;
  for (const [word, of] of FAMILIES) {
    const at = new RegExp(`^${word.source}(?: ?[:：] ?|$)|(?:^|[\\s"”’'」』的]|(?<=[^a-z]))${word.source}$`);
    if (!at.test(words)) continue;
    [words, family] = [words.replace(at, ""), of];
    break;
  }
  return { words: words.replace(/^(the|点击|单击|选择|click( on)?) ?/, "").replace(/的$/, "").replace(/^["“‘'「『]+|["”’'」』]+$/g, "").trim(), family };
}
