// A first look while the page has nothing else to do, once it has loaded: it is thrown away, but what the first one costs more than
// others (scripts that are compiled, styles that are computed) needn't be waited for when the state is asked for.

import { capture } from "./capture.js";
import { listen, queryAll, readyStateOf } from "../dom/dom.js";

/** Larger documents take too long to be looked at unasked. */
const LOOKED_AHEAD_AT = 2000;

/** Looks once, as soon as the document has loaded and nothing else is to be done. */
export function lookAhead() {
  if (readyStateOf(document) === "complete") whenIdle();
  else listen(window, "load", whenIdle);
}

const whenIdle = () => void requestIdleCallback(() => queryAll(document, "*").length <= LOOKED_AHEAD_AT && capture({ ahead: true }));
