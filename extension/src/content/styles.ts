// Highlights and underlines that stay until they are taken back. On an element they are properties of its style attribute, of
// which the former values are kept; on a selection they are painted by the browser (CSS.highlights), and the page's nodes stay
// as they are.

import { adopt, sheetsNow } from "./pagescript.js";

type Kind = "highlight" | "underline";

interface Property {
  name: string;
  value: string;
}

/** One property that was set: what stood there before, and what stands there since. */
interface Kept {
  name: string;
  before: string;
  priority: string;
  ours: string;
}

/** The attribute before the first of ours, and since the last. */
interface Attribute {
  before: string | null;
  since: string | null;
  kept: Kept[];
}

const YELLOW = "#ffeb3b";
const RED = "#e53935";
const styled = new Map<Element, Attribute>();
const painted: { name: string; sheet: CSSStyleSheet; highlight: Set<unknown> }[] = [];
let paints = 0;

interface Registry {
  set(name: string, highlight: unknown): void;
  delete(name: string): void;
}
const registry = (CSS as unknown as { highlights: Registry }).highlights;
const { Highlight } = globalThis as unknown as { Highlight: new (...ranges: Range[]) => Set<unknown> };

// A form may have a control that is named `style`.
const styleGetters = [HTMLElement.prototype, SVGElement.prototype].map((of) => Object.getOwnPropertyDescriptor(of, "style")?.get);

/** The declarations of its style attribute; null where it has none. */
function declarations(el: Element): CSSStyleDeclaration | null {
  for (const get of styleGetters) {
    try {
      return get?.call(el) as CSSStyleDeclaration;
    } catch {
      // of another kind
    }
  }
  return null;
}
const getStyle = (el: Element): string | null => Element.prototype.getAttribute.call(el, "style");

function propertiesOf(kind: Kind, color: string | null): Property[] {
  if (kind === "highlight") return [{ name: "background-color", value: color ?? YELLOW }];
  return [
    { name: "text-decoration-line", value: "underline" },
    { name: "text-decoration-color", value: color ?? RED },
    { name: "text-decoration-thickness", value: "2px" },
  ];
}

/** Whether the browser knows the color. */
export const isColor = (color: string): boolean => CSS.supports("color", color);

/** Styles an element; false where it can't be styled. */
export function styleElement(el: Element, kind: Kind, color: string | null): boolean {
  const style = declarations(el);
  if (!style) return false;
  const of = styled.get(el) ?? { before: getStyle(el), since: null, kept: [] };
  for (const { name, value } of propertiesOf(kind, color)) {
    const known = of.kept.find((one) => one.name === name);
    const kept = known ?? { name, before: style.getPropertyValue(name), priority: style.getPropertyPriority(name), ours: "" };
    style.setProperty(name, value, "important");
    kept.ours = style.getPropertyValue(name);
    if (!known) of.kept.push(kept);
  }
  of.since = getStyle(el);
  styled.set(el, of);
  return propertiesOf(kind, color).every(({ name }) => style.getPropertyPriority(name) === "important" && style.getPropertyValue(name) !== "");
}

/** Paints parts of the page's text. */
export function styleRanges(ranges: Range[], kind: Kind, color: string | null): void {
  const name = `handeye-${++paints}`;
  const sheet = new CSSStyleSheet();
  const body = kind === "highlight" ? `background-color: ${color ?? YELLOW}; color: inherit` : `text-decoration: underline 2px ${color ?? RED}`;
  sheet.replaceSync(`::highlight(${name}) { ${body} }`);
  adopt([...sheetsNow(), sheet]);
  const highlight = new Highlight(...ranges);
  registry.set(name, highlight);
  painted.push({ name, sheet, highlight });
}

/** Takes everything back; how many there were. */
export function clearStyles(): number {
  const count = styled.size + painted.length;
  for (const [el, of] of styled) restore(el, of);
  styled.clear();
  for (const { name, sheet } of painted.splice(0)) {
    registry.delete(name);
    adopt(sheetsNow().filter((one) => one !== sheet));
  }
  return count;
}

/** What the page itself has set since stays as it is. */
function restore(el: Element, { before, since, kept }: Attribute): void {
  const style = declarations(el);
  if (!style) return;
  const untouched = getStyle(el) === since;
  for (const { name, before: value, priority, ours } of kept) {
    if (style.getPropertyValue(name) !== ours || style.getPropertyPriority(name) !== "important") continue;
    if (value) style.setProperty(name, value, priority);
    else style.removeProperty(name);
  }
  if (!untouched) {
    if (before === null && !getStyle(el)) Element.prototype.removeAttribute.call(el, "style");
    return;
  }
  if (before === null) return Element.prototype.removeAttribute.call(el, "style");
  // To the letter as it was written; where the page's policy lets no attribute through, what it says is kept at least.
  const says = style.cssText;
  Element.prototype.setAttribute.call(el, "style", before);
  if (style.cssText !== says) style.cssText = says;
}
