// The one global of the isolated world. Loaded again into the same world, the first stays.

import { lookAhead } from "./capture/ahead.js";
import { aim, frameBox, framePass, hitAt } from "./input/aim.js";
import { atStart, capture, rowsOf } from "./capture/capture.js";
import { checked, checkedElement, holdsText } from "./input/checked.js";
import { concealed, recoded, revealed } from "./text/concealed.js";
import { about, called, describe } from "./capture/describe.js";
import { boxOf } from "./dom/areas.js";
import { activeOf, attr, documentElementOf, has, queryAll, outerHTMLOf, setAttr, inertDocument, bodyOf, innerTextOf } from "./dom/dom.js";
import { behindOf, facts } from "./capture/facts.js";
import { arm, checkPaused, deny, disarm, dragEnd, release, standGuard } from "./input/guard.js";
import { elementOf, numberOf } from "./dom/numbers.js";
import { eventPath, pressPath, runsByAddress, scriptPath } from "./input/path.js";
import { pressedAt } from "./input/ward.js";
import { rest, scrollBy, scrollState } from "./dom/scroll.js";
import { belongs, deepestAt } from "./dom/hit.js";
import { search } from "./capture/search.js";
import { isSecret, mask } from "./names/states.js";
import { adoptListeners, adoptRoot, hint, possibleHosts } from "./dom/told.js";
import { readableText } from "./text/shown.js";
import { caretEnd, choose, editKind, focus, selectAllFocused, setValue, takesText, whyNotText } from "./input/values.js";
import { observeOnceLoaded } from "./dom/version.js";
import { goingOn } from "./changes/controls.js";
import { keepExternal } from "./changes/external.js";
import { changes, elapse, frameDrawn, soFar, stirred, watch } from "./changes/watch.js";

/** The source of an element or of the document, without what its password fields hold. @param {number | null} n */
function html(n) {
  const el = n ? elementOf(n) : documentElementOf(document);
  if (!el) return null;
  const secret = (/** @type {Element} */ at) => has(at, "value") && isSecret(at);
  const all = [el, ...queryAll(el, "input")];
  if (!all.some(secret)) return outerHTMLOf(el);
  // A copy of it: nothing is written into the page.
  const copy = /** @type {Element} */ (inert.importNode(el, true));
  const copies = [copy, ...queryAll(copy, "input")];
  all.forEach((at, i) => secret(at) && setAttr(copies[i], "value", mask(at)));
  return outerHTMLOf(copy);
}

/** Where copies are made: nothing loads or runs there. */
const inert = inertDocument();

/** The rendered text of an element or of the document. @param {number | null} n */
const textOf = (n) => {
  const el = n ? elementOf(n) : (bodyOf(document) ?? documentElementOf(document));
  return el ? innerTextOf(el) : null;
};

/** What is hit at a point (CSS px), if that stands for the element. @param {number} n @param {number} x @param {number} y */
function reaches(n, x, y) {
  const el = elementOf(n);
  const hit = deepestAt(x, y);
  return el && belongs(hit, el) ? hit : null;
}

/** Where an element is: left, top, width and height in CSS px of the viewport. @param {number} n */
function rectOfNumber(n) {
  const el = elementOf(n);
  if (!el) return null;
  const { left, top, width, height } = boxOf(el);
  return [left, top, width, height];
}

/** The number of the element that has the keyboard focus here, the body where no other has. */
const focused = () => {
  const el = activeOf() ?? documentElementOf(document);
  return el && numberOf(el);
};

const handeye = {
  capture,
  rowsOf,
  about,
  called,
  describe,
  facts,
  behindOf,
  aim,
  hitAt,
  reaches,
  framePass,
  frameBox,
  arm,
  disarm,
  dragEnd,
  eventPath,
  pressPath,
  scriptPath,
  runsByAddress,
  pressed: pressedAt,
  focused,
  rect: rectOfNumber,
  deny,
  release,
  checkPaused,
  adoptRoot,
  adoptListeners,
  listening: adoptListeners,
  hint,
  possibleHosts,
  search,
  focus,
  selectAllFocused,
  caretEnd,
  setValue,
  takesText,
  whyNotText,
  choose,
  checked,
  checkedElement,
  holds: holdsText,
  concealed,
  recoded,
  revealed,
  editKind,
  rest,
  scrollBy,
  scrollState,
  watch,
  elapse,
  frameDrawn,
  changes,
  stirred,
  soFar,
  goingOn,
  html,
  textOf,
  shownOf: (/** @type {number | null} */ n) => readableText(/** @type {Element} */ ((n ? elementOf(n) : null) ?? bodyOf(document) ?? documentElementOf(document))),
  attr: (/** @type {number} */ n, /** @type {string} */ name) => {
    const el = elementOf(n);
    if (el && name.toLowerCase() === "value" && isSecret(el)) return has(el, name) ? "•".repeat(Math.min(attr(el, name)?.length ?? 0, 8)) : null;
    return el ? attr(el, name) : null;
  },
  atStart,
  number: numberOf,
  element: elementOf,
};

const world = /** @type {any} */ (globalThis);
// An element or a frame of the page may have the name: only what is the world's own counts.
if (!Object.hasOwn(world, "handeye")) {
  Object.defineProperty(world, "handeye", { value: Object.freeze(handeye), enumerable: false });
  standGuard();
  observeOnceLoaded();
  lookAhead();
  if (world.HANDEYE_START === "deny" || startsDenied()) {
    deny();
    keepExternal();
  }
}

/** HANDEYE_START is a const put before the bundle, not a property. */
function startsDenied() {
  try {
    // @ts-ignore: declared by whoever loads the bundle, or not at all
    return HANDEYE_START === "deny";
  } catch {
    return false;
  }
}
