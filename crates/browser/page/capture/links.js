// Addresses of links.

import { attr, baseOf } from "../dom/dom.js";

export const LINK_LIMIT = 500;

/** An address inside the page that resolving doesn't change. */
const INSIDE_PAGE = /^#[\w-]+$/;

/** What an address inside the page is added to. Resolving thousands of them is slow. @param {Element} el */
function pageAddress(el) {
  const base = baseOf(el);
  const at = base.indexOf("#");
  return at < 0 ? base : base.slice(0, at);
}

/** Where a link of the page looked at leads, as it is listed. @param {Element} el @param {import("../dom/look.js").Look} look @returns {string | undefined} */
export function pageLink(el, look) {
  const written = attr(el, "href");
  if (written && INSIDE_PAGE.test(written)) return ((look.address ??= pageAddress(el)) + written).slice(0, LINK_LIMIT);
  return linkOf(el)?.slice(0, LINK_LIMIT);
}

/** Where a link leads, resolved. @param {Element} el @returns {string | null} */
export function linkOf(el) {
  const written = attr(el, "href");
  if (written && INSIDE_PAGE.test(written)) return pageAddress(el) + written;
  const href = /** @type {any} */ (el).href;
  if (typeof href === "string") return href;
  // In SVG it is the attribute as written.
  const animated = href?.baseVal;
  return typeof animated === "string" && URL.canParse(animated, el.baseURI) ? new URL(animated, el.baseURI).href : null;
}
