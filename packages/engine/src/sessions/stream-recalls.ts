import type { Clock } from '../ports.js';
import type { SessionEffect } from './effects.js';
import { MAX_WAIT_MS } from './recalls.js';
import type { Session } from './session.js';

/** Gets jobs back that wait at a stream's worker for a slot: for others here, and whatever has waited too long. */
export class StreamRecalls {
  #timer: unknown;
  #closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly run: (effects: readonly SessionEffect[]) => void,
    private readonly session: () => Session,
  ) {}

  /** Asks for so many jobs of a queue. Returns how many are asked for now. */
  ask(queueKey: string, count: number): number {
    const { effects, asked } = this.session().recall(queueKey, count);
    this.run(effects);
    return asked;
  }

  /** A job waits from now on. A timer of its own: the session's ticks are too far apart. */
  watch(forMs = MAX_WAIT_MS): void {
    if (this.#closed) return;
    this.#timer ??= this.clock.setTimeout(() => {
      this.#timer = undefined;
      const { effects, nextInMs } = this.session().recallLate(this.clock.now());
      this.run(effects);
      if (nextInMs !== undefined) this.watch(nextInMs);
    }, forMs);
  }

  /** The stream is over. */
  close(): void {
    this.#closed = true;
    this.clock.clearTimeout(this.#timer);
  }
}
