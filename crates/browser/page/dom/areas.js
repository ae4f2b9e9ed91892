// Areas of an image map. They have no box of their own: where they are follows from their
// coordinates and from the image that uses the map.

import { attr, queryAll, rectOf, rootOf, styleOf, tagOf, closestOf } from "./dom.js";

/** The farthest place that is told, CSS px: sums of such are finite. */
export const FARTHEST = 2 ** 31;

// A page may give more numbers than a call takes arguments.
/** @param {number[]} all */
const least = (all) => all.reduce((a, b) => Math.min(a, b));
/** @param {number[]} all */
const most = (all) => all.reduce((a, b) => Math.max(a, b));

/** The areas of an image's map. @param {Element} img @returns {Element[]} */
export function areasOf(img) {
  const name = attr(img, "usemap")?.replace(/^#/, "");
  if (!name) return [];
  const map = queryAll(rootOf(img), "map").find((el) => attr(el, "name") === name || attr(el, "id") === name);
  return map ? queryAll(map, "area[href]") : [];
}

/** The image that shows an area. @param {Element} area @returns {Element | undefined} */
function imageOf(area) {
  const map = closestOf(area, "map");
  const name = map && (attr(map, "name") ?? attr(map, "id"));
  return name ? queryAll(rootOf(area), "img[usemap]").find((img) => attr(img, "usemap") === `#${name}`) : undefined;
}

/** The box around an area, CSS px of the viewport; null when no image shows it. @param {Element} area @returns {import("./dom.js").Rect | null} */
export function areaRect(area) {
  const img = imageOf(area);
  if (!img) return null;
  const frame = rectOf(img);
  const style = styleOf(img);
  const left = frame.left + Number.parseFloat(style.borderLeftWidth) + Number.parseFloat(style.paddingLeft);
  const top = frame.top + Number.parseFloat(style.borderTopWidth) + Number.parseFloat(style.paddingTop);
  const shape = (attr(area, "shape") ?? "rect").toLowerCase();
  if (shape === "default") return frame;
  const at = (attr(area, "coords") ?? "").split(/[\s,]+/).map(Number).map((px) => Math.max(-FARTHEST, Math.min(FARTHEST, px)));
  if (at.length < 3 || at.some(Number.isNaN)) return null;
  if (shape.startsWith("circ")) return new DOMRect(left + at[0] - at[2], top + at[1] - at[2], 2 * at[2], 2 * at[2]);
  const xs = at.filter((_, i) => i % 2 === 0);
  const ys = at.filter((_, i) => i % 2 === 1);
  const [x, y] = [least(xs), least(ys)];
  return new DOMRect(left + x, top + y, most(xs) - x, most(ys) - y);
}

/** The rect of any element, areas included. @param {Element} el @returns {import("./dom.js").Rect} */
export const boxOf = (el) => (tagOf(el) === "area" && areaRect(el)) || rectOf(el);
