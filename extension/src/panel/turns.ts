// Which panel has the conversation: each window may have one, and two of them would approve the same call twice.

const NAME = "conversation";
/** What a panel says that wants it. */
const WANTED = "wanted";

/** The panels of all windows, as one of them sees them. */
export class Turns {
  private readonly others = new BroadcastChannel(NAME);

  /**
   * Has the conversation whenever no other panel has it, until this panel is closed or another wants it: `have` is called with a
   * promise of that, and has to end then. `wait` is called where another has it.
   */
  async take(have: (wanted: Promise<void>) => Promise<void>, wait: () => void): Promise<never> {
    const turn = async () => {
      const wanted = new Promise<void>((give) => (this.others.onmessage = () => give()));
      await have(wanted).finally(() => (this.others.onmessage = null));
    };
    for (;;) {
      // Whoever waits gets it before the one that gave it up.
      const isMine = await navigator.locks.request(NAME, { ifAvailable: true }, async (lock) => {
        if (lock) await turn();
        return lock !== null;
      });
      if (!isMine) wait();
      while (!isMine && !(await this.queue(turn)));
    }
  }

  /** Waits for it, and has it then; false: another that waits wants it, and comes first. */
  private async queue(turn: () => Promise<void>): Promise<boolean> {
    const stepBack = new AbortController();
    this.others.onmessage = () => stepBack.abort();
    try {
      await navigator.locks.request(NAME, { signal: stepBack.signal }, turn);
      return true;
    } catch (error) {
      if (!stepBack.signal.aborted) throw error;
      return false;
    }
  }

  /** Asks the panel that has it to let go of it. */
  want(): void {
    this.others.postMessage(WANTED);
  }
}
