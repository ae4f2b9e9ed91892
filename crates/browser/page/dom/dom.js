// Reading the DOM safely, and the flat tree.
//
// A form (and the document) lets the page shadow any property by naming a control
// after it: `<form><input name="parentNode"></form>`. So every read goes through the
// prototype's own getter, captured at load. The isolated world has its own prototypes,
// which the page cannot touch.

/** @param {object} proto @param {string} name @returns {(this: any) => any} */
export function getterOf(proto, name) {
  const found = Object.getOwnPropertyDescriptor(proto, name);
  return found?.get ?? (() => undefined);
}

const getNodeType = getterOf(Node.prototype, "nodeType");
const getParentNode = getterOf(Node.prototype, "parentNode");
const getFirstChild = getterOf(Node.prototype, "firstChild");
const getFirstElement = getterOf(Element.prototype, "firstElementChild");
const getNextSibling = getterOf(Node.prototype, "nextSibling");
const getPreviousSibling = getterOf(Node.prototype, "previousSibling");
const getConnected = getterOf(Node.prototype, "isConnected");
const getHidden = getterOf(Document.prototype, "hidden");
const getBase = getterOf(Node.prototype, "baseURI");
const getOwner = getterOf(Node.prototype, "ownerDocument");
const getTextContent = getterOf(Node.prototype, "textContent");
const getLocalName = getterOf(Element.prototype, "localName");
const getNamespace = getterOf(Element.prototype, "namespaceURI");
const getHost = getterOf(ShadowRoot.prototype, "host");
const getShadowRoot = getterOf(Element.prototype, "shadowRoot");
const getSlot = getterOf(Element.prototype, "assignedSlot");
const getClassName = getterOf(Element.prototype, "className");
const getNextElement = getterOf(Element.prototype, "nextElementSibling");
const getPreviousElement = getterOf(Element.prototype, "previousElementSibling");
const getParentElement = getterOf(Node.prototype, "parentElement");
const getInnerText = getterOf(HTMLElement.prototype, "innerText");
const getOuterHTML = getterOf(Element.prototype, "outerHTML");
const getEditable = getterOf(HTMLElement.prototype, "isContentEditable");
const getInlineStyle = getterOf(HTMLElement.prototype, "style");
const getOffsetWidth = getterOf(HTMLElement.prototype, "offsetWidth");
const getOffsetHeight = getterOf(HTMLElement.prototype, "offsetHeight");
const getOffsetParent = getterOf(HTMLElement.prototype, "offsetParent");
const getScrollWidth = getterOf(Element.prototype, "scrollWidth");
const getScrollHeight = getterOf(Element.prototype, "scrollHeight");
const getClientWidth = getterOf(Element.prototype, "clientWidth");
const getClientHeight = getterOf(Element.prototype, "clientHeight");
const getScrollLeft = getterOf(Element.prototype, "scrollLeft");
const getScrollTop = getterOf(Element.prototype, "scrollTop");
const getLabelledBy = getterOf(Element.prototype, "ariaLabelledByElements");
const getAdoptedSheets = getterOf(Document.prototype, "adoptedStyleSheets");
const getImplementation = getterOf(Document.prototype, "implementation");
const getLabelControl = getterOf(HTMLLabelElement.prototype, "control");
const getDocumentElement = getterOf(Document.prototype, "documentElement");
const getBody = getterOf(Document.prototype, "body");
const getTitle = getterOf(Document.prototype, "title");
const getReadyState = getterOf(Document.prototype, "readyState");
const getFullScreen = getterOf(Document.prototype, "fullscreenElement");
const getPointerLock = getterOf(Document.prototype, "pointerLockElement");
const getScrollingElement = getterOf(Document.prototype, "scrollingElement");
const getDocumentActive = getterOf(Document.prototype, "activeElement");
const getRootActive = getterOf(ShadowRoot.prototype, "activeElement");
const getSheets = getterOf(Document.prototype, "styleSheets");
const { getAttribute, hasAttribute, hasAttributes, getAttributeNames, closest, matches } = Element.prototype;
const { getBoundingClientRect, getClientRects, checkVisibility, scrollIntoView } = Element.prototype;
const { contains, isEqualNode, getRootNode, addEventListener, removeEventListener, compareDocumentPosition, dispatchEvent } = Node.prototype;
const { setAttribute, scrollBy: scrollElementBy } = Element.prototype;
const { createRange, createTreeWalker, getAnimations } = Document.prototype;
const { getAnimations: getOwnAnimations } = Element.prototype;
const getCookie = getterOf(Document.prototype, "cookie");
const { createHTMLDocument } = DOMImplementation.prototype;
const { focus: focusElement, click: pressElement } = HTMLElement.prototype;
const { focus: focusDrawing } = SVGElement.prototype;
// Browsers of before 2023 have none.
const focusFormula = globalThis.MathMLElement?.prototype.focus ?? null;
const documentPointer = Document.prototype.elementFromPoint;
const rootPointer = ShadowRoot.prototype.elementFromPoint;
const documentStack = Document.prototype.elementsFromPoint;
const rootStack = ShadowRoot.prototype.elementsFromPoint;
const documentQuery = Document.prototype.querySelectorAll;
const elementQuery = Element.prototype.querySelectorAll;
const fragmentQuery = DocumentFragment.prototype.querySelectorAll;
const documentById = Document.prototype.getElementById;
const fragmentById = DocumentFragment.prototype.getElementById;
const styleOfElement = globalThis.getComputedStyle.bind(globalThis);

/** @param {Node} n @returns {number} */
export const nodeTypeOf = (n) => getNodeType.call(n);
/** @param {Node} n @returns {(Element | Document | DocumentFragment) | null} */
export const parentNodeOf = (n) => getParentNode.call(n);
/** @param {Node} n @returns {ChildNode | null} */
export const firstChildOf = (n) => getFirstChild.call(n);
/** @param {Element} el @returns {Element | null} */
export const firstElementOf = (el) => getFirstElement.call(el);
/** @param {Node} n @returns {ChildNode | null} */
export const nextSiblingOf = (n) => getNextSibling.call(n);
/** @param {Node} n @returns {ChildNode | null} */
export const previousSiblingOf = (n) => getPreviousSibling.call(n);
/** @param {Node} n @returns {boolean} */
export const isConnected = (n) => getConnected.call(n);
/** Whether its tab is hidden. @param {Document} d @returns {boolean} */
export const isHiddenDocument = (d) => getHidden.call(d);
/** @param {Node} n @returns {Document} */
export const ownerOf = (n) => getOwner.call(n) ?? n;
/** @param {Node} n @returns {string} */
export const baseOf = (n) => getBase.call(n) ?? "";
/** @param {Node} n @returns {string} */
export const textContentOf = (n) => getTextContent.call(n) ?? "";
const HTML_SPACE = "http://www.w3.org/1999/xhtml";
/** Names of which more is asked than every element has. */
const MORE_ASKED = new Set(["input", "select", "textarea", "button", "option", "optgroup", "progress", "meter", "details", "dialog", "label", "summary", "output", "fieldset", "form", "slot", "iframe", "frame"]);

/** The local name; of an element that only looks like one of HTML's controls (`<input>` inside an SVG), another. @param {Element} el @returns {string} */
export function tagOf(el) {
  const name = getLocalName.call(el);
  return MORE_ASKED.has(name) && getNamespace.call(el) !== HTML_SPACE ? `${name}:` : name;
}

/** @param {Element} el @returns {boolean} */
export const isSvg = (el) => getNamespace.call(el) === "http://www.w3.org/2000/svg";
/** @param {Element} el */
const isFormula = (el) => getNamespace.call(el) === "http://www.w3.org/1998/Math/MathML";
/** @param {Element} el @param {string} name @returns {string | null} */
export const attr = (el, name) => getAttribute.call(el, name);
/** @param {Element} el @param {string} name @returns {boolean} */
export const has = (el, name) => hasAttribute.call(el, name);
/** @param {Element} el @returns {boolean} */
export const hasAny = (el) => hasAttributes.call(el);
/** @param {Element} el @returns {string[]} */
export const attrNames = (el) => getAttributeNames.call(el);
/** @param {Element} el @param {string} css @returns {Element | null} */
export const closestOf = (el, css) => closest.call(el, css);
/** @param {Element} el @param {string} css @returns {boolean} */
export const isMatch = (el, css) => matches.call(el, css);
/**
 * CSS px of the document's viewport.
 * @typedef {{x: number, y: number, width: number, height: number, left: number, top: number, right: number, bottom: number}} Rect
 */

/** A DOMRect's numbers, each asked of the browser once: every reading of a DOMRect is a call. @param {DOMRect} r @returns {Rect} */
export function plainRect(r) {
  const { x, y, width, height } = r;
  return { x, y, width, height, left: x, top: y, right: x + width, bottom: y + height };
}

/** @param {Element} el @returns {Rect} */
export const rectOf = (el) => plainRect(getBoundingClientRect.call(el));
/** @param {Element} el @returns {DOMRectList} */
export const rectsOf = (el) => getClientRects.call(el);
/** @param {Element} el @param {CheckVisibilityOptions} [options] @returns {boolean} */
export const isShown = (el, options) => checkVisibility.call(el, options);
/** @param {Element} el @param {ScrollIntoViewOptions} options */
export const bringIntoView = (el, options) => scrollIntoView.call(el, options);
/** @param {Node} a @param {Node | null} b @returns {boolean} */
export const encloses = (a, b) => contains.call(a, b);
/** Whether two trees are alike. @param {Node} a @param {Node} b @returns {boolean} */
export const isSameTree = (a, b) => isEqualNode.call(a, b);
/** @param {Node} n @returns {Document | ShadowRoot | Element} */
export const rootOf = (n) => /** @type {any} */ (getRootNode.call(n));
/** @param {Element} el @param {FocusOptions} [options] */
export function giveFocus(el, options) {
  const give = isHtmlElement(el) ? focusElement : isSvg(el) ? focusDrawing : isFormula(el) ? focusFormula : null;
  give?.call(/** @type {any} */ (el), options);
}
/** @param {Element} label @returns {HTMLElement | null} */
export const controlOf = (label) => (isHtml(label, "label") ? getLabelControl.call(label) : null);
/** @param {Element} el @param {string} [pseudo] @returns {CSSStyleDeclaration} */
export const styleOf = (el, pseudo) => styleOfElement(el, pseudo);
/** @param {EventTarget} t @param {string} type @param {(e: any) => void} f */
export const listen = (t, type, f) => addEventListener.call(/** @type {any} */ (t), type, f, { capture: true, passive: false });
/** @param {EventTarget} t @param {string} type @param {(e: any) => void} f */
export const unlisten = (t, type, f) => removeEventListener.call(/** @type {any} */ (t), type, f, { capture: true });

/** Brings style and layout up to date. */
export function layOut() {
  const root = getDocumentElement.call(document);
  if (root) getBoundingClientRect.call(root);
}

/** @param {Element} el @returns {Element | null} */
export const nextElementOf = (el) => getNextElement.call(el);
/** @param {Element} el @returns {Element | null} */
export const previousElementOf = (el) => getPreviousElement.call(el);
/** @param {Node} n @returns {Element | null} */
export const parentElementOf = (n) => getParentElement.call(n);
/** The text as it is rendered; what isn't HTML has its text content. @param {Element} el @returns {string} */
export const innerTextOf = (el) => (isHtmlElement(el) ? getInnerText.call(el) : getTextContent.call(el)) ?? "";
/** @param {Element} el @returns {string} */
export const outerHTMLOf = (el) => getOuterHTML.call(el);
/** @param {Element} el @returns {boolean} */
export const isContentEditableOf = (el) => isHtmlElement(el) && getEditable.call(el);
/** The style attribute's own declarations. @param {Element} el @returns {Partial<CSSStyleDeclaration>} */
export const inlineStyleOf = (el) => (isHtmlElement(el) ? getInlineStyle.call(el) : {});
/** @param {Element} el @returns {number} */
export const offsetWidthOf = (el) => (isHtmlElement(el) ? getOffsetWidth.call(el) : 0);
/** @param {Element} el @returns {number} */
export const offsetHeightOf = (el) => (isHtmlElement(el) ? getOffsetHeight.call(el) : 0);
/** @param {Element} el @returns {HTMLElement | null} */
export const offsetParentOf = (el) => (isHtmlElement(el) ? getOffsetParent.call(el) : null);
/** @param {Element} el @returns {number} */
export const scrollWidthOf = (el) => getScrollWidth.call(el);
/** @param {Element} el @returns {number} */
export const scrollHeightOf = (el) => getScrollHeight.call(el);
/** @param {Element} el @returns {number} */
export const clientWidthOf = (el) => getClientWidth.call(el);
/** @param {Element} el @returns {number} */
export const clientHeightOf = (el) => getClientHeight.call(el);
/** @param {Element} el @returns {number} */
export const scrollLeftOf = (el) => getScrollLeft.call(el);
/** @param {Element} el @returns {number} */
export const scrollTopOf = (el) => getScrollTop.call(el);
/** Whether it has more in it than its box shows. @param {Element} el */
export const overflows = (el) => scrollHeightOf(el) > clientHeightOf(el) + 1 || scrollWidthOf(el) > clientWidthOf(el) + 1;
/** @param {Element} el @param {number} left @param {number} top */
export const scrollElement = (el, left, top) => /** @type {any} */ (scrollElementBy).call(el, { left, top, behavior: "instant" });
/** What aria-labelledby was set to as elements. @param {Element} el @returns {Element[]} */
export const labelledByOf = (el) => [...(getLabelledBy.call(el) ?? [])];
/** @param {Document} doc */
export const langOf = (doc) => {
  const root = documentElementOf(doc);
  return (root && attr(root, "lang")) ?? "";
};
/** @param {Element} el @param {string} name @param {string} value */
export const setAttr = (el, name, value) => setAttribute.call(el, name, value);
/** @param {EventTarget} t @param {Event} event @returns {boolean} */
export const dispatch = (t, event) => dispatchEvent.call(/** @type {any} */ (t), event);
/** @param {HTMLElement} el */
export const clickElement = (el) => pressElement.call(el);
/** Whether a comes before b in the document. @param {Node} a @param {Node} b */
export const isBefore = (a, b) => (compareDocumentPosition.call(a, b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
/** @returns {Range} */
export const newRange = () => createRange.call(document);
/** @param {Node} root @returns {TreeWalker} */
export const textWalker = (root) => createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
/** @param {Document} doc @returns {Animation[]} */
export const animationsOf = (doc) => getAnimations.call(doc);
/** Those of one element, in whatever tree it is. @param {Element} el @returns {Animation[]} */
export const animationsIn = (el) => getOwnAnimations.call(el);
/** @param {Document} doc @returns {string} */
export const cookiesOf = (doc) => getCookie.call(doc) ?? "";
/** @param {Document | ShadowRoot} tree @returns {CSSStyleSheet[]} */
export const adoptedSheetsOf = (tree) => [...((isShadowRoot(tree) ? tree.adoptedStyleSheets : getAdoptedSheets.call(tree)) ?? [])];
/** Every style sheet of a document, its scripts' too. @param {Document} doc @returns {CSSStyleSheet[]} */
export const allSheetsOf = (doc) => [...sheetsOf(doc), ...adoptedSheetsOf(doc)];
/** How large the content of an element is, CSS px. @param {Element} el @returns {{width: number, height: number}} */
export const contentSizeOf = (el) => ({ width: getScrollWidth.call(el), height: getScrollHeight.call(el) });
/** A document in which nothing loads or runs. @returns {Document} */
export const inertDocument = () => createHTMLDocument.call(getImplementation.call(document), "");

/** What is told to the outside at once. An element of the page's may have the name where there is no binding. @param {object} what */
export function signalOut(what) {
  const { handeyeSignal } = /** @type {any} */ (globalThis);
  if (typeof handeyeSignal === "function") handeyeSignal(JSON.stringify(what));
}

/** The form that a control belongs to. @param {Element} el @returns {HTMLFormElement | null} */
export const formOf = (el) => (/^(input|button|select|textarea|output|fieldset|object)$/.test(tagOf(el)) && isHtmlElement(el) ? /** @type {HTMLInputElement} */ (el).form : null);

/** The document's root element, or null before there is one. @param {Document} doc @returns {Element | null} */
export const documentElementOf = (doc) => getDocumentElement.call(doc);
/** @param {Document} doc @returns {HTMLElement | null} */
export const bodyOf = (doc) => getBody.call(doc);
/** @param {Document} doc @returns {string} */
export const titleOf = (doc) => getTitle.call(doc) ?? "";
/** @param {Document} doc @returns {DocumentReadyState} */
export const readyStateOf = (doc) => getReadyState.call(doc);
/** What fills the screen. @param {Document} doc @returns {Element | null} */
export const fullScreenOf = (doc) => getFullScreen.call(doc) ?? null;
/** What keeps the pointer. @param {Document} doc @returns {Element | null} */
export const pointerLockOf = (doc) => getPointerLock.call(doc) ?? null;
/** @param {Document} doc @returns {Element | null} */
export const scrollingElementOf = (doc) => getScrollingElement.call(doc);
/** @param {Document | ShadowRoot} tree @returns {StyleSheetList} */
export const sheetsOf = (tree) => (isShadowRoot(tree) ? tree.styleSheets : getSheets.call(tree));

/** Whether a node is an element. @param {Node | null | undefined} n @returns {n is Element} */
export const isElement = (n) => n != null && getNodeType.call(n) === 1;

// What was made in another frame and moved here is of that frame's classes: `instanceof` denies it.

/** Whether a node is text. @param {Node | null | undefined} n @returns {n is Text} */
export const isText = (n) => n != null && getNodeType.call(n) === 3;

/** Whether a node is a document. @param {Node | null | undefined} n @returns {n is Document} */
export const isDocument = (n) => n != null && getNodeType.call(n) === 9;

/** Whether a node is a shadow root. @param {Node | null | undefined} n @returns {n is ShadowRoot} */
export function isShadowRoot(n) {
  if (n == null || getNodeType.call(n) !== 11) return false;
  try {
    return getHost.call(n) != null;
  } catch {
    // Another fragment.
    return false;
  }
}

/** Whether a node is an element of HTML. @param {Node | null | undefined} n @returns {n is HTMLElement} */
export const isHtmlElement = (n) => isElement(n) && getNamespace.call(n) === HTML_SPACE;

/** Whether a node is the element of HTML of this name. @template {keyof HTMLElementTagNameMap} T @param {Node | null | undefined} n @param {T} tag @returns {n is HTMLElementTagNameMap[T]} */
export const isHtml = (n, tag) => isHtmlElement(n) && getLocalName.call(n) === tag;

/** The class attribute as text (SVG's className is an object). @param {Element} el @returns {string} */
export function classOf(el) {
  const value = getClassName.call(el);
  return typeof value === "string" ? value : (attr(el, "class") ?? "");
}

/** querySelectorAll on a document, root or element. @param {Node} scope @param {string} css @returns {Element[]} */
export function queryAll(scope, css) {
  const type = nodeTypeOf(scope);
  const ask = type === 9 ? documentQuery : type === 11 ? fragmentQuery : elementQuery;
  return [...ask.call(/** @type {any} */ (scope), css)];
}

/** The element with this id in the tree of a node. @param {Node} near @param {string} id @returns {Element | null} */
export function byId(near, id) {
  const root = rootOf(near);
  const type = nodeTypeOf(root);
  if (type === 9) return documentById.call(/** @type {Document} */ (root), id);
  if (type === 11) return fragmentById.call(/** @type {ShadowRoot} */ (root), id);
  return null;
}

/** The topmost element of this tree at a point, not entering shadow roots. @param {Document | ShadowRoot} root @param {number} x @param {number} y @returns {Element | null} */
export function elementAt(root, x, y) {
  if (nodeTypeOf(root) === 9) return documentPointer.call(/** @type {Document} */ (root), x, y);
  return rootPointer.call(/** @type {ShadowRoot} */ (root), x, y);
}

/** All that a root has at a point, topmost first. @param {Node} root @param {number} x @param {number} y @returns {Element[]} */
export function elementsAt(root, x, y) {
  if (nodeTypeOf(root) === 9) return documentStack.call(/** @type {Document} */ (root), x, y);
  return rootStack.call(/** @type {ShadowRoot} */ (root), x, y);
}

// ---- shadow roots -----------------------------------------------------------

/** Closed roots handed over by the browser; nothing inside the page can find them. @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
/** Hosts the browser has looked at. @type {WeakSet<Element>} */
const checkedHosts = new WeakSet();

/** Elements of HTML that a page may give a root; and so it may every element with a hyphen in its name. */
const HOST_TAGS = new Set(["article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"]);

/** Whether elements of this name can have a root of the page's. @param {string} tag */
export const mayHost = (tag) => HOST_TAGS.has(tag) || tag.includes("-");

/** The shadow root of an element, open or adopted. @param {Element} el @returns {ShadowRoot | null} */
export const shadowOf = (el) => getShadowRoot.call(el) ?? closedRoots.get(el) ?? null;

/** Takes over a closed root; null says there is none. @param {Element} host @param {ShadowRoot | null} root */
export function keepRoot(host, root) {
  checkedHosts.add(host);
  if (root) closedRoots.set(host, root);
}

/** Whether the browser has been asked about this host. @param {Element} host */
export const isChecked = (host) => checkedHosts.has(host);

/** The focused element, through shadow roots. @param {Document} [doc] @returns {Element | null} */
export function activeOf(doc = document) {
  let at = /** @type {Element | null} */ (getDocumentActive.call(doc));
  for (;;) {
    const root = at && shadowOf(at);
    const inner = root && /** @type {Element | null} */ (getRootActive.call(root));
    if (!inner) return at;
    at = inner;
  }
}

// ---- the flat tree ----------------------------------------------------------

/** The parent in the flat tree: a slot, a parent, or a shadow host. @param {Node} n @returns {Element | null} */
export function flatParentOf(n) {
  const slot = isElement(n) ? getSlot.call(n) : isText(n) ? n.assignedSlot : null;
  if (slot) return slot;
  const parent = parentNodeOf(n);
  if (!parent) return null;
  if (isElement(parent)) return parent;
  return isShadowRoot(parent) ? parent.host : null;
}

/**
 * Children that differ from the light DOM's: a host's shadow tree, a slot's assigned
 * nodes. Null means: use firstChild and nextSibling.
 * @param {Element} el @param {string} [tag] @returns {Node[] | null}
 */
export function specialChildren(el, tag = tagOf(el)) {
  const root = mayHost(tag) ? shadowOf(el) : null;
  if (root) return childList(root);
  if (tag === "slot") {
    const assigned = /** @type {HTMLSlotElement} */ (el).assignedNodes();
    if (assigned.length) return assigned;
  }
  return null;
}

/** The elements right inside one. @param {Element} el @returns {Element[]} */
export const childrenOf = (el) => childList(el).filter(isElement);

/** Children in the tree of nodes. @param {Node} n @returns {Node[]} */
export function childList(n) {
  const out = [];
  for (let c = firstChildOf(n); c; c = nextSiblingOf(c)) out.push(c);
  return out;
}

/** Children in the flat tree. @param {Element} el @returns {Node[]} */
export const flatChildrenOf = (el) => specialChildren(el) ?? childList(el);

/** Whether b is a or inside it, in the flat tree. @param {Element} a @param {Node | null} b */
export function flatHolds(a, b) {
  if (b && encloses(a, b)) return true;
  for (let at = b; at; at = flatParentOf(at)) if (at === a) return true;
  return false;
}

/** Right after this turn: before any timer of the page, however long it has been due. @param {() => void} what */
export function afterTurn(what) {
  const { scheduler } = /** @type {any} */ (globalThis);
  if (scheduler?.postTask) scheduler.postTask(what, { priority: "user-blocking" });
  else setTimeout(what, 0);
}
