import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { QueueDispatch } from '../dispatch/queue-dispatch.js';
import type { EngineDeps } from '../ports.js';
import { META } from '../services/queue/queue-meta.js';

/** Queues that are asked at one time. */
const MAX_BUSY = 50;
/** Warnings name the page that says what to do. */
const SEE = 'docs/compatibility.md, "BullMQ 5 beside 6 on one queue"';

/** What a queue's peers were seen to be. */
interface Seen {
  /** Majors of BullMQ that wrote their version. */
  readonly majors: Set<number>;
  /** What was warned about. */
  warned?: 'old' | 'mixed';
}

/** The major of the BullMQ for Node that wrote this; undefined for anything else: others count on their own. */
export function bullMajor(version: string): number | undefined {
  const major = /^bullmq:(\d+)\./.exec(version)?.[1];
  return major === undefined ? undefined : Number(major);
}

/**
 * Looks at the version that BullMQ's queues leave in `meta` and warns, once per queue and finding, of a 5.x, which
 * pauses in a way of its own, and of two majors at one queue. The last writer wins there, so a mix is seen as a change.
 */
export class PeerVersions {
  /** Forgotten with the queue's dispatch. */
  readonly #seen = new WeakMap<QueueDispatch, Seen>();
  #timer: unknown;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(
    private readonly deps: EngineDeps,
    private readonly dispatcher: Dispatcher,
    /** Between two looks, ms. */
    private readonly everyMs: number,
  ) {}

  start(): void {
    this.#timer = this.deps.clock.setTimeout(() => {
      this.#running = this.#round().finally(() => {
        if (!this.#closed) this.start();
      });
    }, this.everyMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.deps.clock.clearTimeout(this.#timer);
    await this.#running;
  }

  async #round(): Promise<void> {
    const served = [...this.dispatcher.all()];
    for (let at = 0; at < served.length; at += MAX_BUSY) {
      if (this.#closed || !this.deps.store.redis.ready) return;
      await Promise.all(served.slice(at, at + MAX_BUSY).map((dispatch) => this.#look(dispatch)));
    }
  }

  async #look(dispatch: QueueDispatch): Promise<void> {
    const { queue } = dispatch;
    try {
      const version = await this.deps.store.command('HGET', [queue.keys.meta, META.version]);
      if (version !== null) this.#note(dispatch, String(version));
    } catch {
      // The store is away, or the key is none of a queue; the next round looks again.
    }
  }

  #note(dispatch: QueueDispatch, version: string): void {
    const major = bullMajor(version);
    if (major === undefined) return;
    const seen = this.#seen.get(dispatch) ?? { majors: new Set() };
    this.#seen.set(dispatch, seen);
    seen.majors.add(major);
    const found = seen.majors.size > 1 ? 'mixed' : major < 6 ? 'old' : undefined;
    if (!found || seen.warned === found || seen.warned === 'mixed') return;
    seen.warned = found;
    const facts = { queue: dispatch.queue.name, version, see: SEE };
    if (found === 'old') this.deps.logger.warn('peers.bullmq5', facts);
    else this.deps.logger.warn('peers.mixedMajors', { ...facts, majors: [...seen.majors].sort() });
  }
}
