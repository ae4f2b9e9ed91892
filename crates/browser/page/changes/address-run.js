// While the script of a link's address runs: the browser runs it in a task of its own, which the click queues. Neither an event nor a
// stack tells of what it changes at once, but its place in the queue does.

/** How many such scripts may be running: a double click queues two. */
let running = 0;

/** Whether a script of a link's address runs now. */
export const isAddressRunning = () => running > 0;

/**
 * Such a script may be queued: it runs between a task that is queued before it and one that is queued after it.
 * @param {Event} event the click that queues it, unless a listener prevents that @param {() => void} flush hands over the changes until then
 */
export function noteAddressQueued(event, flush) {
  const { port1, port2 } = new MessageChannel();
  let isOpen = false;
  port1.onmessage = () => {
    flush();
    if (isOpen) running -= 1;
    isOpen = !isOpen && !event.defaultPrevented;
    if (!isOpen) return port1.close();
    running += 1;
    port2.postMessage(0);
  };
  port2.postMessage(0);
}
