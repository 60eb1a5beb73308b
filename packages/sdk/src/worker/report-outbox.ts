import { ChurnMap } from '@echomq/proto/churn-map';
import type * as pb from '@echomq/proto/messages';
import { MAX_UINT32 } from '../payload/numbers.js';

/** With so many numbers left a session begins to look for a good moment to end. */
const RESERVE = 1_000_000;

/** What a report says, without its number. */
export type ReportBody = Pick<pb.WorkReport, 'lease' | 'outcome' | 'progress' | 'logs'>;

/** A report that the server has not answered. */
export interface PendingReport<Owner> {
  readonly id: number;
  readonly body: ReportBody;
  /** Whose it is. */
  readonly owner: Owner;
}

/**
 * The reports of a session that are not acknowledged, in order. They are kept until the server has answered and sent
 * again on each new stream; the server applies each number once.
 */
export class ReportOutbox<Owner> {
  #nextId: number;
  #ackedThrough: number;
  readonly #pending = new ChurnMap<number, PendingReport<Owner>>();

  /** @param firstId 1, but for tests */
  constructor(firstId = 1) {
    this.#nextId = firstId;
    this.#ackedThrough = firstId - 1;
  }

  /** All reports up to this one are answered. */
  get ackedThrough(): number {
    return this.#ackedThrough;
  }

  /** How many are not answered. */
  get size(): number {
    return this.#pending.size;
  }

  /** Whether the session's numbers run out: best noticed while nothing is pending, at the latest before the last. */
  get wornOut(): boolean {
    const left = MAX_UINT32 - this.#nextId;
    return left < RESERVE && (this.size === 0 || left < 1);
  }

  /** Takes a report in under the next number. */
  add(body: ReportBody, owner: Owner): PendingReport<Owner> {
    const report = { id: this.#nextId, body, owner };
    this.#nextId += 1;
    this.#pending.set(report.id, report);
    return report;
  }

  /** The report of that number, if it is not answered. */
  get(id: number): PendingReport<Owner> | undefined {
    return this.#pending.get(id);
  }

  /** The server has answered, finally. */
  settle(id: number): void {
    this.#pending.delete(id);
    while (this.#ackedThrough + 1 < this.#nextId && !this.#pending.has(this.#ackedThrough + 1)) {
      this.#ackedThrough += 1;
    }
  }

  /** A new session: what is pending is numbered anew from 1. */
  restart(): void {
    const old = this.#pending.values();
    this.#pending.clear();
    this.#nextId = 1;
    this.#ackedThrough = 0;
    for (const { body, owner } of old) this.add(body, owner);
  }

  /** The pending reports as messages, in order. */
  *messages(): Generator<pb.WorkReport> {
    for (const report of this.#pending.values()) yield this.message(report);
  }

  /** A pending report as a message. */
  message({ id, body }: PendingReport<Owner>): pb.WorkReport {
    const { lease, outcome, progress, logs } = body;
    return { reportId: id, ackedThrough: this.#ackedThrough, lease, outcome, progress, logs };
  }
}
