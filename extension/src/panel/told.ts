// What tools came to, in the panel's own language. The server is told it in the sentences of the wire.

import { quoted, sentence } from "./text.js";

/** How the sentences begin, and our words for them: what follows a colon is of the page. */
const SENTENCES: Record<string, string> = {
  已填充: "filled",
  已选择: "chosen",
  已勾选: "ticked",
  已取消勾选: "unticked",
  已点击: "clicked",
  已读取: "read",
  已滚动: "scrolled",
  已滚动到: "scrolled_to",
  已高亮: "highlighted",
  已添加下划线: "underlined",
  已清除: "cleared",
  至少还有: "more",
  未找到目标元素: "not_found",
  页面元素已变化: "changed",
  元素被遮挡: "covered",
  元素不可用: "disabled",
  元素正在移动: "moving",
  元素不可见: "unseen",
  点击未送达: "intercepted",
  元素不能填充: "unfillable",
  元素不可编辑: "uneditable",
  文件需要用户自己选择: "file",
  填充失败: "fill_failed",
  填充后的值与要求不符: "filled_otherwise",
  元素不是下拉框: "no_list",
  选择失败: "choose_failed",
  选择后的值与要求不符: "chosen_otherwise",
  元素不能勾选: "untickable",
  单选框不能取消勾选: "radio",
  勾选状态没有改变: "tick_failed",
  元素与描述不符: "unfitting",
  选择器匹配了: "several",
  选择器无效: "bad_selector",
  没有选中的文字: "no_selection",
  元素不能添加样式: "unstylable",
  不能读取敏感内容: "secret",
  颜色无效: "bad_color",
  无法滚动: "unscrollable",
  无法滚动到: "unreachable",
  操作失败: "failed",
  参数错误: "bad_arguments",
  "页面已变化，操作已取消": "stale",
  用户停止了操作: "stopped",
  "页面已跳转或关闭，操作结果未知": "lost",
  用户取消了工具执行: "refused",
};
/** The longest first: one may begin as another. */
const BEGINS = Object.keys(SENTENCES).sort((a, b) => b.length - a.length);

/** So much is shown of what was read; all of it stands under the details. */
const SHOWN_MAX = 300;

export const shortly = (text: string): string => (text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);

/** A sentence of the wire for the person; one that isn't known as it is. */
export function toldWords(message: string): Node[] {
  const [head = "", ...rest] = message.split(": ");
  const begin = BEGINS.find((one) => head.startsWith(one));
  return begin === undefined ? [quoted(shortly(message))] : sentence(`told_${SENTENCES[begin]}`, shortly(rest.join(": ")));
}
