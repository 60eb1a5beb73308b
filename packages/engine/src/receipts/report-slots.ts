import type { Receipt } from '@echomq/core';
import type { WorkReport } from '@echomq/proto/messages';
import type { NamedQueue } from '../queue-names.js';
import { receiptTtl } from './request-receipts.js';

/** The slots of one queue. */
interface QueueSlots {
  readonly key: string;
  readonly free: string[];
  made: number;
  /** When the life of the hash was last said, ms of this process. */
  saidAt: number;
}

/**
 * The receipts of the reports of a worker in this process. No answer is lost between the two, so a report comes again only
 * where Redis's answer was lost: then it finds the slot that it has used. As many slots stand in Redis as reports were
 * under way at once, and nothing is deleted.
 */
export class ReportSlots {
  readonly #queues = new Map<string, QueueSlots>();
  /** Of reports of which it is not known what they did, by their numbers. */
  readonly #doubtful = new Map<number, Receipt>();
  #calls = 0;

  /** @param session names the hash. */
  constructor(readonly session: string) {}

  /** The receipt for a report. Say {@link answered} when it was carried. */
  of(queue: NamedQueue, { reportId }: WorkReport, lockMs: number): Receipt {
    const doubtful = this.#doubtful.get(reportId);
    if (doubtful) return doubtful;
    const slots = this.#slotsOf(queue);
    const field = slots.free.pop() ?? String(slots.made++);
    const digest = String(++this.#calls);
    // Half as long again, for it is said at every half only.
    const ttl = Math.ceil(receiptTtl(lockMs) * 1.5);
    const said = this.#isSaid(slots, ttl / 3);
    const { key } = slots;
    if (said) return { key, field, digest, ttl, slot: true, fresh: true, said };
    return { key, field, digest, ttl, slot: true, fresh: true };
  }

  /** A report was carried. @param known whether it is known what it did */
  answered(queue: NamedQueue, { reportId }: WorkReport, receipt: Receipt, known: boolean): void {
    const slots = this.#slotsOf(queue);
    if (known) {
      this.#doubtful.delete(reportId);
      if (receipt.field !== undefined) slots.free.push(receipt.field);
      return;
    }
    const { fresh: _, said: __, ...again } = receipt;
    this.#doubtful.set(reportId, again);
    slots.saidAt = Number.NEGATIVE_INFINITY;
  }

  /** Slots in use or free, in all queues. */
  get size(): number {
    return [...this.#queues.values()].reduce((sum, { made }) => sum + made, 0);
  }

  /** Whether the life of the hash was said within so many ms; if not, it is now. */
  #isSaid(slots: QueueSlots, withinMs: number): boolean {
    const now = performance.now();
    if (now - slots.saidAt < withinMs) return true;
    slots.saidAt = now;
    return false;
  }

  #slotsOf({ keys }: NamedQueue): QueueSlots {
    const known = this.#queues.get(keys.base);
    if (known) return known;
    const key = keys.sessionReceipts(this.session);
    const slots = { key, free: [], made: 0, saidAt: Number.NEGATIVE_INFINITY };
    this.#queues.set(keys.base, slots);
    return slots;
  }
}
