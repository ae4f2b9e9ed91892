// Stop: what is under way in this document does nothing more that shows. An action asks right before it does what can't be taken back,
// since it waits for its target before that.

let stops = 0;

/** The person stopped: what has begun by now ends. */
export const stopAll = (): void => void stops++;

/** Tells, later, whether the person has stopped since. */
export function sinceNow(): () => boolean {
  const before = stops;
  return () => stops !== before;
}
