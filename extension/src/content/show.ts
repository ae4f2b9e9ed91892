// Boxes around the elements of a card, with their numbers, while it waits for approval. They are drawn over the page in a layer
// that nothing hits, in a shadow tree of our own, and taken away with it: no element of the page is touched.

import { make, page, rootNow } from "./pagescript.js";

const CSS_TEXT = `
:host { all: initial !important; position: fixed !important; inset: 0 !important; width: auto !important; height: auto !important; margin: 0 !important; padding: 0 !important; border: 0 !important; background: none !important; pointer-events: none !important; overflow: visible !important; z-index: 2147483647 !important; }
div { position: fixed; box-sizing: border-box; border: 3px solid #d81b60; border-radius: 4px; box-shadow: 0 0 0 2px #fff, 0 0 12px 2px rgb(216 27 96 / 60%); pointer-events: none; }
span { position: absolute; left: -3px; top: -1.7em; font: bold 13px/1.5 system-ui, sans-serif; padding: 0 .5em; background: #d81b60; color: #fff; border-radius: 4px; }
div.low span { top: -3px; }`;

let host: HTMLElement | null = null;
let root: ShadowRoot | null = null;
let boxes: { n: number; box: HTMLElement }[] = [];
let timer = 0;

/** Shows boxes around these elements; each label is the place of its action on the card. */
export function show(marked: { n: number; label: string }[]): void {
  hide();
  if (!marked.length) return;
  host = make("handeye-marks");
  root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(CSS_TEXT);
  root.adoptedStyleSheets = [sheet];
  for (const { n, label } of marked) {
    const box = make("div");
    const tag = make("span");
    tag.textContent = label;
    box.append(tag);
    root.append(box);
    boxes.push({ n, box });
  }
  host.setAttribute("popover", "manual");
  host.setAttribute("aria-hidden", "true");
  rootNow().append(host);
  // Above modal dialogs, too.
  host.showPopover();
  place();
}

function place(): void {
  for (const { n, box } of boxes) {
    const el = page.element(n);
    const rect = el ? Element.prototype.getBoundingClientRect.call(el) : null;
    const isShown = rect !== null && rect.width > 0 && rect.height > 0;
    box.style.display = isShown ? "" : "none";
    if (!isShown) continue;
    Object.assign(box.style, { left: `${rect.x - 4}px`, top: `${rect.y - 4}px`, width: `${rect.width + 8}px`, height: `${rect.height + 8}px` });
    box.className = rect.y < 26 ? "low" : "";
  }
  timer = setTimeout(place, 100);
}

export function hide(): void {
  clearTimeout(timer);
  host?.remove();
  [host, root, boxes] = [null, null, []];
}
