// Whether a target still is what it is held to: its role, its texts, its row, where it leads and what can be chosen in it.

import { isHtml } from "../dom/dom.js";
import { fieldOf } from "./fields.js";
import { leadsOf } from "../capture/leads.js";
import { newLook } from "../dom/look.js";
import { reads } from "../text/matching.js";
import { numberOf } from "../dom/numbers.js";
import { roleOf } from "../names/roles.js";
import { saysInRow } from "../capture/rows.js";
import { newRest } from "../dom/user-action.js";

/** @typedef {import("../text/matching.js").Held} Held */
/** The event under way, and what shows in a target only while it is pointed to. @typedef {{current: Event | null, revealed: Map<Element, Map<string, string>>}} Seen */

/** Whether an element isn't what it is held to any more. @param {Seen} seen @param {Element} target @param {Held | null} held */
export function hasChangedFrom(seen, target, held) {
  if (!held) return false;
  const role = roleOf(target);
  if (held.role && held.role !== role) return true;
  const isKept = saysHeld(target, role, held, newLook(true));
  if (!isKept && !saysAtRest(seen, target, role, held)) return true;
  if (seen.current && !seen.revealed.has(target)) seen.revealed.set(target, new Map());
  if (held.row && !saysInRow(target, held.row)) return true;
  if (held.leads && !isSameRecord(held.leads, leadsOf(target) ?? {}, held.own ?? null)) return true;
  return held.choices.some(([label, value]) => !hasOption(target, label, value));
}

/** @param {Element} target @param {string} role @param {Held} held @param {import("../dom/look.js").Look} look */
const saysHeld = (target, role, held, look) => held.texts.every(([field, text]) => reads(text, fieldOf(target, role, field, look) ?? ""));

/**
 * Whether it says so without what the gesture itself shows by style sheets. What pointing shows is there when the first event
 * comes, and stays as it is; the press and the focus may show more.
 * @param {Seen} seen @param {Element} target @param {string} role @param {Held} held
 */
function saysAtRest(seen, target, role, held) {
  const rest = newRest(target);
  if (!saysHeld(target, role, held, newLook(true, rest))) return false;
  const known = seen.revealed.get(target);
  const now = new Map(known);
  for (const [el, parts] of rest.found) {
    for (const [part, { pseudo, text }] of parts) {
      const key = `${numberOf(el)} ${part}`;
      const was = known?.get(key);
      if (was === undefined ? known && pseudo === "hover" : was !== text) return false;
      now.set(key, text);
    }
  }
  if (seen.current) seen.revealed.set(target, now);
  return true;
}

/** Whether an element leads where it did; `own` is as good as any origin. @param {Record<string, string>} a @param {Record<string, string>} b @param {string | null} own */
function isSameRecord(a, b, own) {
  const keys = Object.keys(a);
  const isKept = (/** @type {string} */ key) => a[key] === b[key] || (b[key] === own && (key === "link" || key === "action"));
  return keys.length === Object.keys(b).length && keys.every(isKept);
}

/** @param {Element} el @param {string} label @param {string} value */
function hasOption(el, label, value) {
  return isHtml(el, "select") && [...el.options].some((option) => option.label.trim() === label && option.value === value);
}
