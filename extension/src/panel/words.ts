// What a call will do, in words for the person who approves it.

import { quoted, sentence, t } from "./text.js";
import type { Call, Shown } from "../shared/protocol.js";

/** What an action is about: “the button X”. */
const aimWords = ({ kind, target }: Shown): Node[] => [document.createTextNode(t(`kind_${kind}`)), ...(target ? [document.createTextNode(t("quote_open")), quoted(target), document.createTextNode(t("quote_close"))] : [])];

/** One action of a batch. */
export function actionWords(shown: Shown): Node[] {
  const { action, kind, value, color, direction } = shown;
  const on = aimWords(shown);
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
      return sentence("do_read", on);
    case "highlight":
    case "underline":
      return [...sentence(`do_${action}`, on), ...(color ? sentence("in_color", color) : [])];
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
