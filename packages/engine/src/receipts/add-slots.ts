import { randomUUID } from 'node:crypto';
import { type QueueKeys, type Receipt, StoreUnavailable } from '@echomq/core';
import { ChurnMap } from '@echomq/proto/churn-map';
import { digest } from './digest.js';
import { receiptTtl } from './request-receipts.js';

/** A slot that a request uses now, or may come back to. */
interface Taken {
  receipt: Receipt;
  /** Calls of the request that are under way. */
  calls: number;
  /** Nobody comes back after this, ms of this process; set while it is not known what the last call did. */
  until?: number;
}

/** The slots of one queue. */
interface QueueSlots {
  readonly key: string;
  readonly free: string[];
  readonly taken: ChurnMap<string, Taken>;
  made: number;
  /** Some wait for a request that may not come. */
  waiting: boolean;
  /** When the life of the hash was last said, ms of this process. */
  saidAt: number;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** Queues whose slots are remembered though none is taken. */
const MAX_IDLE = 1_000;

/**
 * The receipts of adds whose callers are in this process. No answer is lost between the two, so a request comes again only
 * where Redis's was: then it finds the slot that it has used. As many slots stand in Redis as adds were under way at once.
 */
export class AddSlots {
  readonly #session = digest(randomUUID());
  readonly #queues = new Map<string, QueueSlots>();
  #seq = 0;

  /**
   * Carries an add out with the slot of its request.
   *
   * @param add told the receipt; its error says whether the slot is kept for a repetition
   */
  within<T>(keys: QueueKeys, requestId: string, add: (receipt: Receipt) => Promise<T>): Promise<T> {
    const slots = this.#slotsOf(keys);
    const taken = this.#take(slots, requestId);
    taken.calls++;
    return add(taken.receipt).then(
      (outcome) => {
        this.#release(slots, requestId, taken);
        return outcome;
      },
      (error) => {
        // Whether the life of the hash was said with it is not known.
        slots.saidAt = NEVER;
        const unknown = error instanceof StoreUnavailable && error.mayHaveApplied;
        if (unknown) this.#keep(slots, taken);
        else this.#release(slots, requestId, taken);
        throw error;
      },
    );
  }

  #slotsOf(keys: QueueKeys): QueueSlots {
    const known = this.#queues.get(keys.base);
    if (known) return known;
    const key = keys.sessionReceipts(this.#session);
    const slots = {
      key,
      free: [],
      taken: new ChurnMap<string, Taken>(),
      made: 0,
      waiting: false,
      saidAt: NEVER,
    };
    this.#queues.set(keys.base, slots);
    return slots;
  }

  #take(slots: QueueSlots, requestId: string): Taken {
    if (slots.waiting) this.#forgetLate(slots);
    const known = slots.taken.get(requestId);
    if (known) {
      known.receipt = again(known.receipt);
      return known;
    }
    const field = slots.free.pop() ?? String(slots.made++);
    // Half as long again, for it is said at every half only.
    const ttl = Math.ceil(receiptTtl() * 1.5);
    // Also the first attempt is looked for: on a connection that was given up it may arrive behind its repetition.
    const said = this.#isSaid(slots, ttl / 3);
    const seq = ++this.#seq;
    const receipt = { key: slots.key, field, digest: '', ttl, seq, said };
    const taken = { receipt, calls: 0 };
    slots.taken.set(requestId, taken);
    return taken;
  }

  /** Whether the life of the hash was said within so many ms; if not, it is now. */
  #isSaid(slots: QueueSlots, withinMs: number): boolean {
    const now = performance.now();
    if (now - slots.saidAt < withinMs) return true;
    slots.saidAt = now;
    return false;
  }

  #release(slots: QueueSlots, requestId: string, taken: Taken): void {
    if (taken.until !== undefined) delete taken.until;
    if (--taken.calls > 0) return;
    slots.taken.delete(requestId);
    slots.free.push(taken.receipt.field ?? '');
    if (slots.taken.size > 0 || this.#queues.size <= MAX_IDLE) return;
    for (const [base, each] of this.#queues) if (each === slots) this.#queues.delete(base);
  }

  #keep(slots: QueueSlots, taken: Taken): void {
    taken.calls--;
    taken.until = performance.now() + receiptTtl();
    slots.waiting = true;
  }

  #forgetLate(slots: QueueSlots): void {
    const now = performance.now();
    slots.waiting = false;
    slots.taken.visit((taken, requestId) => {
      if (taken.until === undefined || taken.calls > 0) return true;
      if (taken.until > now) {
        slots.waiting = true;
      } else {
        slots.taken.delete(requestId);
        slots.free.push(taken.receipt.field ?? '');
      }
      return true;
    });
  }
}

/** The receipt of a call that was made before: whether the life of the hash was said is not known. */
function again({ said: _, ...receipt }: Receipt): Receipt {
  return receipt;
}
