import type * as pb from '@echomq/proto/messages';
import { type EchoMQError, errorOf } from '../errors.js';
import { errorFromStatus } from '../transport/status.js';
import type { HeldJob } from './held-job.js';
import type { RunEnd } from './outcomes.js';
import { ReportOutbox } from './report-outbox.js';
import { afterRefusal } from './report-refusals.js';

/** Whose report it is. */
interface Owner<Data, Result> {
  readonly held: HeldJob<Data, Result>;
  readonly end: RunEnd;
  refusals: number;
}

/** What the desk asks of the session, and tells it. */
export interface ReportDeskEvents<Data, Result> {
  /** The run has ended: its report is on its way. */
  onReported(held: HeldJob<Data, Result>): void;
  /** Sends a report if a stream is up. */
  send(report: pb.WorkReport): void;
  /** The server has stored how a run ended. */
  onStored(held: HeldJob<Data, Result>, end: RunEnd, result: pb.FinishResult): void;
  /** The result is discarded: the job was no longer ours. */
  onLost(held: HeldJob<Data, Result>, error: EchoMQError): void;
  /** The report cannot be made. */
  onGivenUp(held: HeldJob<Data, Result>, error: EchoMQError): void;
}

const RESEND_MS = 500;
const NONE = Buffer.alloc(0);

/** Reports how runs ended until the server has stored it or refused it for good. */
export class ReportDesk<Data, Result> {
  readonly #outbox = new ReportOutbox<Owner<Data, Result>>();
  readonly #events: ReportDeskEvents<Data, Result>;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(events: ReportDeskEvents<Data, Result>) {
    this.#events = events;
  }

  /** All reports up to this one are answered. */
  get ackedThrough(): number {
    return this.#outbox.ackedThrough;
  }

  /** Whether the session's report numbers run out. */
  get wornOut(): boolean {
    return this.#outbox.wornOut;
  }

  /** Reports the end of a run. What was not sent of its progress and log goes with it. */
  report(held: HeldJob<Data, Result>, end: RunEnd, refusals = 0): void {
    this.#events.onReported(held);
    const body = {
      lease: held.lease,
      outcome: end.outcome,
      progress: held.unsentProgress ?? NONE,
      logs: held.unsentLines,
    };
    held.unsentProgress = undefined;
    held.unsentLines = [];
    const report = this.#outbox.add(body, { held, end, refusals });
    this.#events.send(this.#outbox.message(report));
  }

  /** A new stream is up: what is not answered goes out again. */
  resend(): void {
    for (const report of this.#outbox.messages()) this.#events.send(report);
  }

  /** A new session begins: its numbers do too. */
  restart(): void {
    this.#outbox.restart();
  }

  /** The server has answered. */
  answered({ reportId, outcome }: pb.WorkReportAck): void {
    const report = this.#outbox.get(reportId);
    if (report === undefined || outcome === undefined) return;
    const { held, end } = report.owner;
    if (outcome.$case === 'result') {
      this.#outbox.settle(reportId);
      this.#events.onStored(held, end, outcome.value);
      return;
    }
    const error = errorFromStatus(outcome.value);
    if (error.retryable) this.#later(reportId, error.retryAfterMs ?? RESEND_MS);
    else this.#refused(reportId, error);
  }

  /** Forgets everything. */
  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #refused(reportId: number, error: EchoMQError): void {
    const report = this.#outbox.get(reportId);
    if (report === undefined) return;
    this.#outbox.settle(reportId);
    const { held, end, refusals } = report.owner;
    const after = afterRefusal(error, end, refusals + 1);
    if (after.next === 'report') this.report(held, after.end, refusals + 1);
    else if (after.next === 'lost') this.#events.onLost(held, asLost(error));
    else this.#events.onGivenUp(held, error);
  }

  #later(reportId: number, afterMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      const report = this.#outbox.get(reportId);
      if (report !== undefined) this.#events.send(this.#outbox.message(report));
    }, afterMs);
    this.#timers.add(timer);
  }
}

/** A job that is missing is as lost as one that somebody else holds. */
function asLost(error: EchoMQError): EchoMQError {
  const { code, reason, metadata } = error;
  if (reason === 'LOCK_LOST' || reason === 'LOCK_NOT_OWNED') return error;
  return errorOf(error.message, {
    code,
    reason: 'LOCK_LOST',
    metadata: { ...metadata, refusedWith: reason },
    cause: error,
  });
}
