import { hostname } from 'node:os';
import type { RedisClient } from '@echomq/core';
import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { QueueDispatch } from '../dispatch/queue-dispatch.js';
import type { EngineDeps } from '../ports.js';

/** Queues that began or ceased to be served are noticed this often, ms. */
const LOOK_MS = 1_000;
/** A name is given again this often, ms: in a cluster links to single nodes come and go unheard. */
const RENAME_MS = 30_000;
/** A queue that nobody has taken from for so long leaves the list, ms. */
const LINGER_MS = 10_000;

/** What Redis refuses in the name of a client, and what would look like a part of its own. */
const UNFIT = /[^\w.-]/g;

/** The name by which BullMQ's `getWorkers` knows a worker's connection; `queueName` as it stands in keys. */
export function workerClientName(prefix: string, queueName: string, worker: string): string {
  const queue = Buffer.from(queueName).toString('base64');
  return `${prefix}:${queue}:w:${worker.replace(UNFIT, '_')}`;
}

/**
 * Makes BullMQ's `getWorkers` see this engine: one idle connection for each queue from which somebody takes, with the
 * name that BullMQ looks for. A connection says that there are workers, not how many.
 */
export class WorkerList {
  readonly #entries = new Map<string, Entry>();
  readonly #worker = `echomq-${hostname()}`;
  #timer: unknown;

  constructor(
    private readonly deps: EngineDeps,
    private readonly redis: RedisClient,
    private readonly dispatcher: Dispatcher,
  ) {}

  /** Begins to follow the queues that are served. */
  start(): void {
    this.#timer = this.deps.clock.setTimeout(() => {
      this.start();
      this.#look();
    }, LOOK_MS);
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    this.deps.clock.clearTimeout(this.#timer);
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(entries.map((entry) => entry.close()));
  }

  #look(): void {
    const now = this.deps.clock.now();
    for (const dispatch of this.dispatcher.all()) {
      if (dispatch.inUse) this.#entryOf(dispatch).usedAt = now;
    }
    for (const [base, entry] of this.#entries) {
      if (now - entry.usedAt < LINGER_MS) {
        entry.renameAfter(now, RENAME_MS);
        continue;
      }
      this.#entries.delete(base);
      void entry.close();
    }
  }

  #entryOf({ queue }: QueueDispatch): Entry {
    const { base, name } = queue.keys;
    let entry = this.#entries.get(base);
    if (!entry) {
      const clientName = workerClientName(this.deps.names.prefix, name, this.#worker);
      entry = new Entry(this.redis.duplicate(), clientName, (error) =>
        this.deps.logger.warn('compat.notListed', { queue: queue.name, error: String(error) }),
      );
      this.#entries.set(base, entry);
    }
    return entry;
  }
}

/** One idle connection with its name. */
class Entry {
  usedAt = 0;
  #namedAt = 0;
  #warned = false;
  readonly #stop: () => void;

  constructor(
    private readonly client: RedisClient,
    private readonly clientName: string,
    private readonly onRefused: (error: unknown) => void,
  ) {
    this.#stop = client.onReadyChange((ready) => {
      if (ready) this.#rename();
    });
    if (client.ready) this.#rename();
  }

  renameAfter(now: number, ms: number): void {
    if (now - this.#namedAt < ms) return;
    this.#namedAt = now;
    this.#rename();
  }

  close(): Promise<void> {
    this.#stop();
    return this.client.close();
  }

  #rename(): void {
    if (!this.client.ready) return;
    this.client.eachPrimary('CLIENT', ['SETNAME', this.clientName]).catch((error: unknown) => {
      // A prefix with a space in it, a user without the right: said once. A link that broke is named anew.
      if (this.#warned || !this.client.ready) return;
      this.#warned = true;
      this.onRefused(error);
    });
  }
}
