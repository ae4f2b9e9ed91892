// What the person has selected, in the page or in a field. Of fields for passwords nothing is read.

import { isSensitive } from "./describe.js";
import { activeNow, page } from "./pagescript.js";

const TEXT_MAX = 10000;

/** The field that has a selection of its own, with the focus on it. */
function field(): HTMLInputElement | HTMLTextAreaElement | null {
  const active = activeNow();
  const isField = active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement;
  if (!isField) return null;
  try {
    return active.selectionStart !== null && active.selectionStart !== active.selectionEnd ? active : null;
  } catch {
    return null;
  }
}

export function selectedText(): string {
  const of = field();
  if (of) {
    const n = page.number(of);
    const facts = page.facts(n);
    if (!facts || isSensitive(n, facts)) return "";
    return of.value.slice(of.selectionStart ?? 0, of.selectionEnd ?? 0).slice(0, TEXT_MAX);
  }
  return (getSelection()?.toString() ?? "").slice(0, TEXT_MAX);
}

/** The selected parts of the page; the field instead, where the selection is in one. */
export function selectedParts(): { ranges: Range[]; field: Element | null } {
  const of = field();
  if (of) return { ranges: [], field: of };
  const selection = getSelection();
  const ranges: Range[] = [];
  for (let i = 0; selection && i < selection.rangeCount; i++) {
    const range = selection.getRangeAt(i);
    if (!range.collapsed) ranges.push(range.cloneRange());
  }
  return { ranges, field: null };
}
