import type { CallWatcher } from './watch-calls.js';

/** How long a status takes to be written, ms. */
const WRITTEN_MS = 50;

/** The Work streams that are open on the wire: the engine is done with one a moment before its status has left. */
export class OpenStreams {
  #open = 0;
  #onNone: (() => void) | undefined;

  /** Hears of them. */
  readonly watcher: CallWatcher = ({ path }) => {
    if (!path.endsWith('/Work')) return undefined;
    this.#open += 1;
    return () => {
      this.#open -= 1;
      if (this.#open === 0) this.#onNone?.();
    };
  };

  /** Resolves when the status of each has left, or after so many ms. */
  async whenNone(limitMs: number): Promise<void> {
    if (this.#open > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#onNone = resolve;
        timer = setTimeout(resolve, limitMs);
      });
      clearTimeout(timer);
    }
    // It is told of a status before that is written, which takes HTTP/2 some turns.
    await new Promise<void>((resolve) => setTimeout(resolve, WRITTEN_MS));
  }
}
