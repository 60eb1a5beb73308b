import type { Redis } from 'ioredis';

/** When a worker got a job for the first time. */
export interface FirstTaken {
  /** Place among all takings, from 0. */
  readonly order: number;
  /** ms since the epoch, by the store's clock. */
  readonly at: number;
}

const PAGE = 5_000;
const INTERVAL_MS = 200;

/**
 * Follows the queue's stream of events and keeps what the job hashes forget: the first time that each job was taken,
 * the order, and which jobs went back into the line.
 */
export class EventLog {
  readonly firstTaken = new Map<string, FirstTaken>();
  /** When each job was added, as a place in the stream comparable with {@link FirstTaken.order}. */
  readonly addedBefore = new Map<string, number>();
  /** Jobs that went from a worker back into the line: stalled, given back, or retried without a delay. */
  readonly returned = new Set<string>();
  #after = '-';
  #taken = 0;
  #reading: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly redis: Redis,
    private readonly key: string,
  ) {}

  /** Reads again and again: the stream keeps some 10,000 events, less than one run makes. */
  follow(onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => this.readOn().catch(onError), INTERVAL_MS);
  }

  /** Stops following. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reads what has come since. */
  readOn(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readPages());
    return this.#reading;
  }

  async #readPages(): Promise<void> {
    for (;;) {
      const entries = await this.redis.xrange(this.key, this.#after, '+', 'COUNT', PAGE);
      for (const [id, fields] of entries) {
        this.#note(id, fields);
        this.#after = `(${id}`;
      }
      if (entries.length < PAGE) return;
    }
  }

  #note(id: string, fields: readonly string[]): void {
    const event = Object.fromEntries(pairs(fields));
    const jobId = event.jobId;
    if (jobId === undefined) return;
    if (event.event === 'added') this.addedBefore.set(jobId, this.#taken);
    if (event.event === 'waiting' && event.prev === 'active') this.returned.add(jobId);
    if (event.event !== 'active') return;
    const order = this.#taken++;
    if (!this.firstTaken.has(jobId)) {
      this.firstTaken.set(jobId, { order, at: Number.parseInt(id, 10) });
    }
  }
}

function* pairs(flat: readonly string[]): Generator<[string, string]> {
  for (let i = 0; i + 1 < flat.length; i += 2) yield [flat[i] ?? '', flat[i + 1] ?? ''];
}
