// Scrolling by hand, and where things are scrolled to.

import { flatParentOf, listen, scrollingElementOf, tagOf, unlisten, scrollHeightOf, clientHeightOf, scrollWidthOf, clientWidthOf, scrollLeftOf, scrollTopOf, scrollElement } from "./dom.js";
import { elementOf } from "./numbers.js";

/** Longest wait for a scroll to come to rest, ms. */
const REST_LIMIT = 700;
/** Whether something is being scrolled smoothly: what is seen meanwhile is neither here nor there. */
let scrolling = false;
listen(window, "scroll", () => void (scrolling = true));
listen(window, "scrollend", () => void (scrolling = false));

/** Whether a scroll is under way. */
export const isScrolling = () => scrolling;

/** Waits until nothing scrolls any more. @returns {Promise<boolean>} */
export function rest() {
  return new Promise((done) => {
    const finish = () => {
      clearTimeout(timer);
      unlisten(window, "scrollend", finish);
      scrolling = false;
      done(true);
    };
    const timer = setTimeout(finish, scrolling ? REST_LIMIT : 0);
    listen(window, "scrollend", finish);
  });
}

/** What a wheel over an element would scroll: itself or the nearest scroller above. @param {Element | null} el @param {number} dx @param {number} dy @returns {Element | null} */
function scrollerOf(el, dx, dy) {
  for (let at = el; at; at = flatParentOf(at)) {
    const style = getComputedStyle(at);
    const down = scrollHeightOf(at) > clientHeightOf(at) + 1 && (/auto|scroll/.test(style.overflowY) || tagOf(at) === "textarea");
    const across = scrollWidthOf(at) > clientWidthOf(at) + 1 && /auto|scroll/.test(style.overflowX);
    if ((dy && down) || (dx && across) || (!dx && !dy && (down || across))) return at;
  }
  return scrollingElementOf(document);
}

/**
 * Scrolls by CSS px; says how far it really went, and whether that was all that could be scrolled: a wheel at the end of a
 * scroller would go on in what lies around it, which nobody asked for.
 * @param {number | null} n @param {number} dx @param {number} dy
 */
export function scrollBy(n, dx, dy) {
  const el = elementOf(n);
  // What a frame shows is scrolled in there; where that can't be, nothing around it is scrolled instead.
  if (el && /^(i?frame|fencedframe)$/.test(tagOf(el))) return { moved: [0, 0], ended: true };
  const at = scrollerOf(el, dx, dy);
  if (!at) return { moved: [0, 0], ended: false };
  const page = scrollingElementOf(document);
  const ended = at !== page || (window !== top && (dy ? scrollHeightOf(at) > clientHeightOf(at) : scrollWidthOf(at) > clientWidthOf(at)));
  const before = [scrollLeftOf(at), scrollTopOf(at)];
  scrollElement(at, dx, dy);
  return { moved: [scrollLeftOf(at) - before[0], scrollTopOf(at) - before[1]], ended };
}

/** Where a scroller stands, CSS px. @param {number | null} n */
export function scrollState(n) {
  const at = scrollerOf(elementOf(n), 0, 0);
  if (!at) return { x: 0, y: 0, width: innerWidth, height: innerHeight, pageWidth: innerWidth, pageHeight: innerHeight };
  return { x: scrollLeftOf(at), y: scrollTopOf(at), width: clientWidthOf(at), height: clientHeightOf(at), pageWidth: scrollWidthOf(at), pageHeight: scrollHeightOf(at) };
}
