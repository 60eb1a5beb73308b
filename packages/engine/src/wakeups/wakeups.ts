import { MarkerWaiter, type WaiterPorts, type Watched } from './marker-waiter.js';

/** How long a queue's own connection outlives the last who waited, ms. */
const LINGER_MS = 30_000;

/** Waits for the markers of the queues that have somebody waiting. */
export interface Wakeups {
  /** Whether this queue's marker is to be waited for. */
  watch(queue: Watched, watched: boolean): void;
  close(): Promise<void>;
}

/** On a single server one connection serves all queues; in a cluster BZPOPMIN cannot cross slots, so each has its own. */
export function makeWakeups(ports: WaiterPorts): Wakeups {
  return ports.redis.cluster ? new WakeupsPerQueue(ports) : new SharedWakeups(ports);
}

class SharedWakeups implements Wakeups {
  readonly #waiter: MarkerWaiter;

  constructor(ports: WaiterPorts) {
    this.#waiter = new MarkerWaiter(ports);
  }

  watch(queue: Watched, watched: boolean): void {
    if (watched) this.#waiter.add(queue);
    else this.#waiter.remove(queue);
  }

  close(): Promise<void> {
    return this.#waiter.close();
  }
}

class WakeupsPerQueue implements Wakeups {
  readonly #waiters = new Map<Watched, { readonly waiter: MarkerWaiter; idle?: NodeJS.Timeout }>();

  constructor(private readonly ports: WaiterPorts) {}

  watch(queue: Watched, watched: boolean): void {
    let entry = this.#waiters.get(queue);
    if (!watched && !entry) return;
    if (!entry) {
      entry = { waiter: new MarkerWaiter(this.ports) };
      this.#waiters.set(queue, entry);
    }
    if (watched) {
      clearTimeout(entry.idle);
      delete entry.idle;
      entry.waiter.add(queue);
    } else {
      entry.waiter.remove(queue);
      entry.idle ??= setTimeout(() => this.#end(queue), LINGER_MS);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#waiters.keys()].map((queue) => this.#end(queue)));
  }

  async #end(queue: Watched): Promise<void> {
    const entry = this.#waiters.get(queue);
    if (!entry) return;
    this.#waiters.delete(queue);
    clearTimeout(entry.idle);
    await entry.waiter.close();
  }
}
