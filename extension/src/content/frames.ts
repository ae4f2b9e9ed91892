// Where this document is seen, when it is in a frame: only in frames of its own origin can that be told, up to the tab's own page.

/** The frames around this document, the innermost first; null: one of them isn't told to us. */
function around(): Element[] | null {
  const frames: Element[] = [];
  for (let at: Window = window; at !== at.parent; at = at.parent) {
    const frame = frameOf(at);
    if (!frame) return null;
    frames.push(frame);
  }
  return frames;
}

function frameOf(of: Window): Element | null {
  try {
    return of.frameElement;
  } catch {
    return null;
  }
}


/** Whether a person can see this document, as far as its frames go. */
export function isShownHere(): boolean {
  const isShown = (frame: Element) => {
    const { width, height } = Element.prototype.getBoundingClientRect.call(frame);
    return width > 1 && height > 1 && Element.prototype.checkVisibility.call(frame, { visibilityProperty: true, opacityProperty: true });
  };
  return around()?.every(isShown) ?? false;
}

/** Whether each frame around is what is hit where a point of this document is drawn (CSS px). */
export function isOpenAbove(x: number, y: number): boolean {
  const frames = around();
  if (!frames) return false;
  for (const frame of frames) {
    const rect = Element.prototype.getBoundingClientRect.call(frame);
    [x, y] = [rect.x + frame.clientLeft + x, rect.y + frame.clientTop + y];
    const root = Node.prototype.getRootNode.call(frame) as Document | ShadowRoot;
    const ask = "host" in root ? ShadowRoot.prototype.elementFromPoint : Document.prototype.elementFromPoint;
    if (ask.call(root as Document & ShadowRoot, x, y) !== frame) return false;
  }
  return true;
}

/** Scrolls the pages around so that the frame is in view. */
export function bringFrameIntoView(): void {
  for (const frame of around() ?? []) Element.prototype.scrollIntoView.call(frame, { block: "nearest", inline: "nearest", behavior: "instant" });
}
