// Which element a run of text is told of by, where it goes on in others: the first that it stands in.

/** @type {WeakMap<Element, Element>} */
const runOwners = new WeakMap();

/** A run of text goes on in an element. @param {Element} owner @param {Element} el */
export function noteOwner(owner, el) {
  if (owner !== el) runOwners.set(el, owner);
}

/** The element by which a text is told that stands in this one, where that is another. @param {Element} el */
export const runOwnerOf = (el) => runOwners.get(el);
