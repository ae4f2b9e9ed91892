// `request_more_elements`: of a region of the page, of a type, by a word.

import { lineOf } from "./ids.js";
import { look } from "./look.js";
import { mentions } from "./describe.js";
import { folded, page } from "./pagescript.js";
import { isOfType, rank } from "./rank.js";
import type { MoreElements, Region, Used } from "../shared/protocol.js";

/** So many are told at once. */
const MORE_MAX = 50;
/** So many are counted. */
const FOUND_MAX = 500;

const REGION_CSS: Record<Exclude<Region, "below_viewport">, string> = {
  form: "form, fieldset, [role=form], [role=search], search",
  header: "header, [role=banner], #header, .header, .site-header, .page-header, .navbar, .topbar",
  sidebar: "aside, [role=complementary], #sidebar, .sidebar, .side-bar, .sidenav, .side-nav, .sider",
  footer: "footer, [role=contentinfo], #footer, .footer, .site-footer, .page-footer",
};
/** What a header or footer of a part of the page is in. */
const PARTS = "article, section, aside, main, nav, dialog, li, [role=article], [role=dialog]";
const FIELD_ROLES = /^(textbox|searchbox|combobox|spinbutton|listbox|slider|checkbox|radio|switch)$/;

export function moreElements({ region, elementType = "all", keyword }: MoreElements): Used {
  const word = keyword === undefined ? "" : folded(keyword);
  const view = { width: innerWidth, height: innerHeight };
  const found = [];
  // The nearest first: of a page without end not all is looked at closely.
  const nearest = look().map((seen, at) => ({ seen, at })).sort((a, b) => rank(b.seen, view) - rank(a.seen, view));
  for (const { seen, at } of nearest) {
    if (found.length >= FOUND_MAX) break;
    const el = page.element(seen.n);
    const facts = el && (!region || isInRegion(el, seen, region)) ? page.facts(seen.n) : null;
    if (facts && isOfType(facts, elementType) && (!word || mentions(facts, word))) found.push({ facts, at });
  }
  // Those that are told stand as in the page.
  const elements = found.slice(0, MORE_MAX).sort((a, b) => a.at - b.at).map(({ facts }) => {
    const { id, desc } = lineOf(facts.n, facts);
    return { id, desc };
  });
  return { success: true, elements, count: found.length - elements.length };
}

function isInRegion(el: Element, seen: { role: string; y: number }, region: Region): boolean {
  if (region === "below_viewport") return seen.y >= innerHeight;
  const around = above(el, REGION_CSS[region]);
  // Controls without a form around them are forms all the same.
  if (region === "form") return around !== null || FIELD_ROLES.test(seen.role);
  if (!around) return false;
  const isOfPart = /^(header|footer)$/.test(around.localName) && above(around, PARTS) !== null;
  return !isOfPart;
}

/** The nearest element above that a selector matches, out of shadow trees, too. */
function above(el: Element, css: string): Element | null {
  for (let at: Element | null = el; at; ) {
    const found = Element.prototype.closest.call(at, css);
    if (found) return found;
    const root: Node = Node.prototype.getRootNode.call(at);
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return null;
}
