import { ChurnMap } from '@echomq/proto/churn-map';
import type { WorkReport, WorkReportAck } from '@echomq/proto/messages';
import { type ReportDigest, reportDigest } from '../receipts/report-digest.js';

/** The answer to a report. */
export type ReportAnswer = NonNullable<WorkReportAck['outcome']>;

interface Entry {
  /** Of what was reported, all but its number. */
  readonly digest: string;
  /** Absent while the report is being applied. */
  answer?: ReportAnswer;
  /** The lease that ended through it. */
  endedToken?: string;
}

/** Answers that a session keeps at most for a worker that never says what it has got. */
const MAX_KEPT = 10_000;

/**
 * The reports of a session that the worker has not acknowledged: a repeated one is answered again and applied once. It
 * outlives the stream, as the reports do.
 */
export class ReportMemory {
  /** In the order of the reports, which count up. */
  readonly #entries = new ChurnMap<number, Entry>();
  readonly #ended = new ChurnMap<string, true>();
  #acknowledged = 0;

  constructor(private readonly digestOf: ReportDigest = reportDigest) {}

  /** What is known of a report: new, being applied, answered, or acknowledged and forgotten. */
  look(reportId: number): 'new' | 'pending' | 'forgotten' | ReportAnswer {
    const entry = this.#entries.get(reportId);
    if (entry) return entry.answer ?? 'pending';
    return reportId <= this.#acknowledged ? 'forgotten' : 'new';
  }

  /** Whether the number of this report stands for another one. */
  isReused(report: WorkReport): boolean {
    const entry = this.#entries.get(report.reportId);
    return entry !== undefined && entry.digest !== this.digestOf(report);
  }

  /** The report is being applied. */
  begin(report: WorkReport): void {
    this.#entries.set(report.reportId, { digest: this.digestOf(report) });
    if (this.#entries.size > MAX_KEPT) this.#dropOldest();
  }

  /** It was answered, and the lease, if one is named, ended through it. */
  settle(reportId: number, answer: ReportAnswer, endedToken?: string): void {
    const entry = this.#entries.get(reportId);
    if (!entry) return;
    entry.answer = answer;
    if (endedToken === undefined) return;
    entry.endedToken = endedToken;
    this.#ended.set(endedToken, true);
  }

  /** It was not applied: sent again, it is new. */
  forget(reportId: number): void {
    this.#entries.delete(reportId);
  }

  /** Whether this lease ended here and the worker may not have seen it yet. */
  hasEnded(token: string): boolean {
    return this.#ended.has(token);
  }

  /** The lease that ended through this report. */
  endedBy(reportId: number): string | undefined {
    return this.#entries.get(reportId)?.endedToken;
  }

  /** The worker has all answers up to this one. */
  acknowledge(through: number): void {
    if (through <= this.#acknowledged) return;
    this.#acknowledged = through;
    this.#entries.visit((entry, reportId) => {
      if (reportId > through) return false;
      if (entry.answer) this.#drop(reportId, entry);
      return true;
    });
  }

  /** All reports up to this one are acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Reports that are kept. */
  get size(): number {
    return this.#entries.size;
  }

  #drop(reportId: number, { endedToken }: Entry): void {
    this.#entries.delete(reportId);
    if (endedToken !== undefined) this.#ended.delete(endedToken);
  }

  #dropOldest(): void {
    this.#entries.visit((entry, reportId) => {
      if (!entry.answer) return true;
      this.#drop(reportId, entry);
      return false;
    });
  }
}
