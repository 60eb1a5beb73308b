import type { Clock, EngineLogger, EngineObserver } from '../ports.js';
import { REDELIVER_GRACE_MS } from '../receipts/redeliver-grace.js';
import { giveBack, type Returned } from './give-back.js';
import type { QueueLane } from './queue-lane.js';
import type { UnderWay } from './under-way.js';

/** Jobs of a queue that go back, at once or unless their request comes again. */
export class Returns {
  readonly #waits = new Map<() => void, unknown>();
  #closed = false;

  constructor(
    private readonly ports: {
      readonly lane: QueueLane;
      readonly clock: Clock;
      readonly logger: EngineLogger;
      readonly observer?: EngineObserver | undefined;
      readonly underWay: UnderWay;
      /** Some are back. */
      readonly done: () => void;
    },
  ) {}

  /** Gives jobs back to the front, in this order. */
  async now(jobs: readonly Returned[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.ports.underWay.track(this.#giveBack(jobs));
    this.ports.done();
  }

  /** The same after a grace, for jobs whose request may come again: those that it gets then stay. */
  async unlessAskedFor(jobs: readonly Returned[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.ports.underWay.track(this.#grace().then(() => this.#giveBack(jobs)));
    this.ports.done();
  }

  /** Waits for nothing any longer. */
  close(): void {
    this.#closed = true;
    for (const end of [...this.#waits.keys()]) end();
  }

  #giveBack(jobs: readonly Returned[]): Promise<void> {
    const { lane, clock, logger, observer } = this.ports;
    return giveBack(lane, jobs, { clock, logger, observer, closed: () => this.#closed });
  }

  #grace(): Promise<void> {
    const { clock } = this.ports;
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clock.clearTimeout(this.#waits.get(end));
        this.#waits.delete(end);
        resolve();
      };
      this.#waits.set(end, clock.setTimeout(end, REDELIVER_GRACE_MS));
    });
  }
}
