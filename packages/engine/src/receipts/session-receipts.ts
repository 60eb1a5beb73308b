import { randomUUID } from 'node:crypto';
import type { Receipt, Store } from '@echomq/core';
import type { WorkerInfo, WorkReport } from '@echomq/proto/messages';
import type { NamedQueue } from '../queue-names.js';
import { digest } from './digest.js';
import { type ReportDigest, reportDigest } from './report-digest.js';
import { ReportSlots } from './report-slots.js';
import { receiptTtl } from './request-receipts.js';

/** Receipts that one script deletes at most. */
const MAX_ACKED = 1_000;
/** Receipts that a session keeps in one queue for a worker that never says what it has got. */
const MAX_KEPT = 10_000;

/** What stands in one queue, by the numbers of the reports. */
interface Standing {
  readonly key: string;
  readonly ids: Set<number>;
}

/** What is known of a report besides its message. */
export interface ReportTerms {
  /** All reports of the session up to this one are acknowledged. */
  readonly through: number;
  /** Life of the job's lock, ms. */
  readonly lockMs: number;
  /** It is the first attempt, here and anywhere. */
  readonly fresh?: boolean;
}

/** The digest of a session; `undefined` for a worker that does not name one. */
export function sessionDigest(
  worker: WorkerInfo | undefined,
  principal: string,
): string | undefined {
  if (!worker?.sessionId) return undefined;
  return digest(JSON.stringify([principal, worker.workerId, worker.sessionId]));
}

/**
 * The receipts of a session's reports. They stand in Redis, a hash per queue; here is known which, so that those that
 * the worker has acknowledged are deleted.
 */
export class SessionReceipts {
  /** The digest by which the session's own keys are named. */
  readonly session: string;
  readonly #queues = new Map<string, Standing>();
  /** Reports of which it is not known what they did. */
  readonly #doubtful = new Set<number>();
  /** For a worker in this process. */
  readonly #slots: ReportSlots | undefined;

  /**
   * @param principal whose session it is: nobody else's reports find its receipts.
   * @param near the worker is in this process
   */
  constructor(
    worker: WorkerInfo | undefined,
    principal: string,
    private readonly digestOf: ReportDigest = reportDigest,
    near = false,
  ) {
    // Without an id of its own nobody can come back to a session.
    this.session = sessionDigest(worker, principal) ?? digest(randomUUID());
    this.#slots = near ? new ReportSlots(this.session) : undefined;
  }

  /**
   * The receipt for a report: with it those that are acknowledged are deleted. Say {@link answered} when it was carried.
   *
   * @param terms all reports up to `through` are acknowledged; `fresh`: the report can have come nowhere before
   */
  of(queue: NamedQueue, report: WorkReport, { through, lockMs, fresh }: ReportTerms): Receipt {
    if (this.#slots) return this.#slots.of(queue, report, lockMs);
    const standing = this.#standing(queue);
    const acked = this.#acknowledged(standing, through);
    // Named once: the reports of one turn do not all delete the same.
    for (const id of acked) standing.ids.delete(Number(id));
    standing.ids.add(report.reportId);
    return {
      key: standing.key,
      field: String(report.reportId),
      digest: this.digestOf(report),
      ttl: receiptTtl(lockMs),
      ...(fresh && !this.#doubtful.has(report.reportId) && { fresh }),
      ...(acked.length === 0 ? {} : { acked }),
    };
  }

  /**
   * A report was carried with its receipt.
   *
   * @param end what came of it: stored; refused; or not known, so that it may come again
   */
  answered(
    queue: NamedQueue,
    report: WorkReport,
    receipt: Receipt,
    end: 'stored' | 'refused' | 'unknown',
  ): void {
    if (this.#slots) this.#slots.answered(queue, report, receipt, end !== 'unknown');
    else if (end !== 'stored') this.#notDeleted(receipt);
    if (end === 'unknown') this.#doubtful.add(report.reportId);
    else this.#doubtful.delete(report.reportId);
  }

  /** A receipt was not written: its `acked` may still stand. */
  #notDeleted({ key, acked = [] }: Pick<Receipt, 'key' | 'acked'>): void {
    for (const { key: own, ids } of this.#queues.values()) {
      if (own === key) for (const id of acked) ids.add(Number(id));
    }
  }

  /** Deletes what is acknowledged, in the queues where no report does it. Never rejects. */
  async tidy(store: Store, through: number): Promise<void> {
    const deletions = [...this.#queues.values()].map(async (standing) => {
      const acked = this.#acknowledged(standing, through);
      if (acked.length === 0) return;
      // What cannot be deleted now is deleted next time, or ends with the hash.
      await store.command('HDEL', [standing.key, ...acked]);
      for (const id of acked) standing.ids.delete(Number(id));
    });
    await Promise.allSettled(deletions);
  }

  /** Reads which receipts the session has in a queue, from its time at another server. Never rejects. */
  async learn(store: Store, queue: NamedQueue): Promise<void> {
    if (this.#slots) return;
    const standing = this.#standing(queue);
    const fields = await store.command('HKEYS', [standing.key]).catch(() => []);
    const ids = Array.isArray(fields) ? fields.map((field) => Number(String(field))) : [];
    for (const id of ids.filter(Number.isInteger).sort((a, b) => a - b)) standing.ids.add(id);
  }

  /** How many stand, as far as is known here. */
  get size(): number {
    if (this.#slots) return this.#slots.size;
    return [...this.#queues.values()].reduce((sum, { ids }) => sum + ids.size, 0);
  }

  #standing({ keys }: NamedQueue): Standing {
    const known = this.#queues.get(keys.base);
    if (known) return known;
    const standing = { key: keys.sessionReceipts(this.session), ids: new Set<number>() };
    this.#queues.set(keys.base, standing);
    return standing;
  }

  #acknowledged({ ids }: Standing, through: number): string[] {
    const acked: string[] = [];
    let surplus = ids.size - MAX_KEPT;
    // They stand in the order of the reports, which count up; one that could not be deleted stands last.
    for (const id of ids) {
      if (acked.length === MAX_ACKED || (id > through && surplus-- <= 0)) break;
      acked.push(String(id));
    }
    return acked;
  }
}
