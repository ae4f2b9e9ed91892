// The sentences that the server knows results by.

export const CANCELLED = "用户取消了工具执行";
/** What was shown on a card isn't there any more. */
export const STALE = "页面已变化，操作已取消";
export const STOPPED = "用户停止了操作";
/** What became of an action can't be told. */
export const LOST = "页面已跳转或关闭，操作结果未知";
export const FINISHED = "对话完成";

/** Where a page is, as an approval is held to it: an app may show another record under another fragment alone. An empty one is none. */
export const placeOf = (url: string): string => url.replace(/#$/, "");

/** JSON that any server reads: a text that was cut within a character isn't one to it. */
export const toJson = (value: unknown): string => JSON.stringify(value, (_name, part: unknown) => (typeof part === "string" ? part.replace(LONE, "\ufffd") : part));

/** Half of a character beyond the basic plane (UTF-16), without its other half. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export const clearedText = (count: number): string => `已清除 ${count} 处样式`;
export const moreText = (count: number): string => `至少还有 ${count} 个元素未列出`;

/** What a batch came to. */
export const summaryOf = (done: number, failed: number): string => `执行了 ${done + failed} 个操作，成功 ${done} 个，失败 ${failed} 个`;
