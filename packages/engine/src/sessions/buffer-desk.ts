import type { Store } from '@echomq/core';
import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { Clock } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';

/** Whoever takes jobs of a queue: a subscription of a stream, or a waiting poll. */
export interface Member {
  /** Slots without a job. */
  slots(): number;
  /** Asks for jobs back that wait for a slot. Returns how many are asked for now, at most `count`. Absent: has none. */
  recall?(count: number): number;
}

interface Queue {
  readonly members: Set<Member>;
  /** Those at whom jobs may wait. */
  readonly holders: Set<Member>;
  /** What the queue's own limits were at the last look. */
  limits?: { readonly hold: boolean; readonly at: number };
  looking: boolean;
}

/** What is known of a queue's limits is looked at again after this, ms… */
const LOOK_MS = 1_000;
/** …and counts no longer after this. */
const STALE_MS = 5_000;

/** Says where a worker may hold jobs beyond its slots, and gets them back when somebody else could run them. */
export class BufferDesk {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly ports: { readonly store: Store; readonly clock: Clock }) {}

  /** Somebody takes jobs of a queue from now on. */
  enter(key: string, member: Member): void {
    const queue = this.#queues.get(key) ?? newQueue();
    queue.members.add(member);
    if (member.recall) queue.holders.add(member);
    this.#queues.set(key, queue);
  }

  /** See {@link enter}. */
  leave(key: string, member: Member): void {
    const queue = this.#queues.get(key);
    queue?.members.delete(member);
    queue?.holders.delete(member);
    if (queue?.members.size === 0) this.#queues.delete(key);
  }

  /**
   * Whether a job of this queue may wait at a member for a slot: nobody else has one, and the queue does not limit how
   * many run. The first answer is no: the limits are looked at then, and each second while somebody asks.
   */
  mayWait({ keys }: NamedQueue, member: Member): boolean {
    const queue = this.#queues.get(keys.base);
    if (!queue) return false;
    for (const other of queue.members) if (other !== member && other.slots() > 0) return false;
    const age = queue.limits ? this.ports.clock.now() - queue.limits.at : Number.POSITIVE_INFINITY;
    if (age >= LOOK_MS && !queue.looking) void this.#look(keys.meta, queue);
    return age < STALE_MS && queue.limits?.hold === false;
  }

  /** A member has slots and the queue has nothing: what waits at others is asked for. */
  starved(key: string, member: Member): void {
    const queue = this.#queues.get(key);
    if (!queue) return;
    let missing = member.slots();
    for (const other of queue.holders) {
      if (missing <= 0) return;
      if (other !== member) missing -= other.recall?.(missing) ?? 0;
    }
  }

  /** A queue hands out no more for now, or fewer at once: what waits for a slot waits in the queue again. */
  recallAll(key: string): void {
    for (const holder of this.#queues.get(key)?.holders ?? [])
      holder.recall?.(Number.MAX_SAFE_INTEGER);
  }

  async #look(meta: string, queue: Queue): Promise<void> {
    queue.looking = true;
    try {
      const limits = await this.ports.store.command('HMGET', [meta, 'concurrency', 'max']);
      const hold = !Array.isArray(limits) || limits.some((limit) => limit !== null);
      queue.limits = { hold, at: this.ports.clock.now() };
    } catch {
      // A store that is away gives no jobs either.
      delete queue.limits;
    } finally {
      queue.looking = false;
    }
  }
}

/** A queue's gate or limit has just changed: it is looked at anew, and what waits at workers for a slot goes back to it. */
export function gateChanged(
  { buffers, dispatcher }: { readonly buffers: BufferDesk; readonly dispatcher: Dispatcher },
  queue: NamedQueue,
): void {
  buffers.recallAll(queue.keys.base);
  dispatcher.reconsider(queue);
}

function newQueue(): Queue {
  return { members: new Set(), holders: new Set(), looking: false };
}
