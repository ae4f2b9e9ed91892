// While the script of a link's address runs: the browser runs it in a task of its own, which the click queues. Neither an event nor a
// stack tells of what it changes at once, but its place in the queue does.

let isUnderWay = false;

/** Whether a script of a link's address runs now. */
export const isAddressRunning = () => isUnderWay;

/** Such a script was queued: it runs between a task that is queued before it and one that is queued after it. @param {() => void} flush hands over the changes until then */
export function noteAddressQueued(flush) {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    flush();
    isUnderWay = !isUnderWay;
    if (isUnderWay) port2.postMessage(0);
    else port1.close();
  };
  port2.postMessage(0);
}
