// The texts of an element by which it is held to what was shown of it.

import { attr, has } from "../dom/dom.js";
import { SAID_LIMIT, ownText } from "../capture/facts.js";
import { nameOf } from "../names/names.js";
import { saidOf, wordlessHint } from "../text/said.js";
import { valueOf } from "../names/states.js";

/** @param {Element} el @param {string} role @param {string} field @param {import("../dom/look.js").Look} look @returns {string | null | undefined} */
export function fieldOf(el, role, field, look) {
  switch (field) {
    case "name":
      return nameOf(el, role, look);
    case "said": {
      const name = nameOf(el, role, look);
      return saidOf(el, role, name, look, SAID_LIMIT)?.text ?? name;
    }
    case "called": {
      const name = nameOf(el, role, look);
      return name || (saidOf(el, role, name, look, SAID_LIMIT)?.text ?? "");
    }
    case "hint":
      return wordlessHint(el, nameOf(el, role, look), saidOf(el, role, nameOf(el, role, look), look), look);
    case "text":
      return ownText(el, role, look);
    case "value":
      return valueOf(el, role);
    case "placeholder":
      return attr(el, "placeholder") ?? attr(el, "aria-placeholder");
    default:
      return has(el, field) ? attr(el, field) : null;
  }
}
