import type { Backlog } from '@echomq/engine';

/** A queue and how it stands. */
export interface QueueStand {
  readonly namespace: string;
  readonly queue: string;
  readonly backlog: Backlog;
}

/** Which queue. */
export type QueueId = Pick<QueueStand, 'namespace' | 'queue'>;

/** How old what is served may be, ms: scrapes of several readers cost one. */
const FRESH_MS = 3_000;
/** All queues together may take so long, ms; what has not come by then is left out. */
const LIMIT_MS = 2_000;
/** Queues that are read at one time. */
const WIDTH = 8;

/** Reads how queues stand when somebody asks, at a bounded cost. */
export class Backlogs {
  #stands: readonly QueueStand[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<readonly QueueStand[]> | undefined;

  constructor(
    private readonly ports: {
      /** The queues to read. */
      readonly queues: () => readonly QueueId[];
      readonly read: (queue: QueueId) => Promise<Backlog>;
      readonly onError: () => void;
    },
  ) {}

  /** How the queues stand, by a look that is a few seconds old at most. Never rejects. */
  now(): Promise<readonly QueueStand[]> {
    if (performance.now() - this.#readAt < FRESH_MS) return Promise.resolve(this.#stands);
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<readonly QueueStand[]> {
    const left = [...this.ports.queues()];
    const found: QueueStand[] = [];
    const until = performance.now() + LIMIT_MS;
    const one = async () => {
      for (let queue = left.shift(); queue; queue = left.shift()) {
        if (performance.now() > until) return this.ports.onError();
        try {
          found.push({ ...queue, backlog: await this.ports.read(queue) });
        } catch {
          this.ports.onError();
        }
      }
    };
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, LIMIT_MS);
    });
    await Promise.race([Promise.all(Array.from({ length: WIDTH }, one)), limit]);
    clearTimeout(timer);
    this.#stands = [...found].sort((a, b) => (a.queue < b.queue ? -1 : 1));
    this.#readAt = performance.now();
    return this.#stands;
  }
}
