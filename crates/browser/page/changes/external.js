// Addresses that other programs take, such as mailto: and tel:. A browser without a person before it puts up a dialog for them
// that nobody can answer, and that keeps all input from the page: in a browser of ours the page's script stops them.

import { listen } from "../dom/dom.js";

const ADDRESS_LENGTH = 500;

/** What was asked for since the gesture began; "": nothing. */
let askedFor = "";

/** From here on a request is a gesture's. */
export const forgetExternal = () => void (askedFor = "");

/** The address for another program that the page has asked for. */
export const externalAddress = () => askedFor;

/** Lets no address for another program through (HTML, "hand-off to external software"; Navigation API, `navigate`). */
export function keepExternal() {
  const { navigation } = /** @type {{navigation?: EventTarget}} */ (/** @type {unknown} */ (globalThis));
  if (navigation) listen(navigation, "navigate", stopExternal);
}

/** @param {Event & {destination: {url: string}}} event */
function stopExternal(event) {
  const { url } = event.destination;
  const own = ownSchemes();
  if (!own.length || own.includes(url.split(":", 1)[0].toLowerCase())) return;
  event.preventDefault();
  askedFor = url.slice(0, ADDRESS_LENGTH);
}

/** Schemes that a browser deals with itself: a const put before the bundle, not a property. @returns {string[]} */
function ownSchemes() {
  try {
    // @ts-ignore: declared by whoever loads the bundle, or not at all
    return HANDEYE_SCHEMES;
  } catch {
    return [];
  }
}
