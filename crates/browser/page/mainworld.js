// Evaluated by the browser in the page's OWN world, never in ours: which elements the page's
// libraries listen for, though the element has no listener itself (React's props, jQuery's
// delegated handlers). The page may have poisoned everything here, so the result is only a hint
// and nothing throws. Not part of the bundle. Value: [{path, tag, host?}], at most 2,000.
(() => {
  /** @type {{path: (number | "s")[], tag: string, host?: boolean}[]} */
  const found = [];
  const LIMIT = 2000;
  const ELEMENT_LIMIT = 50000;
  const CLICKS = ["click", "mousedown", "mouseup", "pointerdown", "dblclick", "touchstart"];
  const PROPS = ["onClick", "onMouseDown", "onPointerDown", "onMouseUp", "onDoubleClick", "onTouchStart"];
  try {
    const jq = /** @type {any} */ (window).jQuery;
    const data = jq && typeof jq._data === "function" ? jq._data : null;
    /** @type {Map<Element, boolean>} element -> only delegates */
    const marked = new Map();

    /** @param {Element} el */
    const hasReactHandler = (el) => {
      for (const key of Object.keys(el)) {
        if (!key.startsWith("__reactProps$") && !key.startsWith("__reactEventHandlers$")) continue;
        const props = /** @type {any} */ (el)[key];
        if (props && PROPS.some((name) => typeof props[name] === "function")) return true;
      }
      return false;
    };

    /** @param {Element | Document} host */
    const readJquery = (host) => {
      if (!data) return;
      let events;
      try {
        events = data(host, "events");
      } catch {
        return;
      }
      if (!events) return;
      let direct = false;
      let delegates = false;
      for (const type of CLICKS) {
        for (const handler of events[type] ?? []) {
          if (!handler?.selector) direct = true;
          else {
            delegates = true;
            try {
              for (const el of jq(host).find(handler.selector)) marked.set(el, false);
            } catch {
              // a selector of theirs that no longer parses
            }
          }
        }
      }
      if (delegates && !direct && host !== document && !marked.has(/** @type {Element} */ (host))) marked.set(/** @type {Element} */ (host), true);
    };

    readJquery(document);
    let n = 0;
    /** @param {Element} el @param {(number | "s")[]} path */
    const walk = (el, path) => {
      if (++n > ELEMENT_LIMIT || found.length >= LIMIT) return;
      if (hasReactHandler(el)) marked.set(el, false);
      readJquery(el);
      paths.set(el, path);
      if (el.shadowRoot) [...el.shadowRoot.children].forEach((child, i) => walk(child, [...path, "s", i]));
      [...el.children].forEach((child, i) => walk(child, [...path, i]));
    };
    /** @type {Map<Element, (number | "s")[]>} */
    const paths = new Map();
    if (document.documentElement) walk(document.documentElement, []);
    for (const [el, host] of marked) {
      const path = paths.get(el);
      if (!path || found.length >= LIMIT) continue;
      found.push(host ? { path, tag: el.localName, host } : { path, tag: el.localName });
    }
  } catch {
    // a page that fights back gets no hints
  }
  return found;
})();
