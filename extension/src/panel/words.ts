// What a call will do, in words for the person who approves it.

import { sentence } from "./text.js";
import type { Call, Shown } from "../shared/protocol.js";

/** One action of a batch. */
export function actionWords({ action, target, kind, value, color, direction }: Shown): Node[] {
  const on = target ?? "";
  switch (action) {
    case "fill":
      return sentence("do_fill", on, value ?? "");
    case "select":
      return sentence("do_select", on, value ?? "");
    case "check":
      return value ? sentence("do_check_value", on, value) : sentence("do_check", on);
    case "scroll":
      return kind === "page" ? sentence(`do_scroll_${direction ?? "down"}`) : direction ? [...sentence("do_scroll_in", on), ...sentence(`do_scroll_${direction}`)] : sentence("do_scroll_to", on);
    case "read":
      return kind === "page" ? sentence("do_read_page") : kind === "selection" ? sentence("do_read_selection", on) : sentence("do_read", on);
    case "highlight":
    case "underline":
      return [...sentence(kind === "selection" ? `do_${action}_selection` : `do_${action}`, on), ...(color ? sentence("in_color", color) : [])];
    case "click":
      return sentence("do_click", on);
  }
}

/** Another tool of the browser. */
export function toolWords(call: Call): Node[] {
  switch (call.tool) {
    case "request_more_elements": {
      const { region, elementType, keyword } = call.args;
      return sentence("do_more", [region, elementType, keyword].filter(Boolean).join(", ") || "…");
    }
    case "get_selected_text":
      return sentence("do_selected");
    case "clear_ai_styles":
      return sentence("do_clear");
    default:
      return [];
  }
}
