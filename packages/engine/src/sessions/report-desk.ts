import type { EchoMQError } from '@echomq/core';
import type { FinishResult, WorkReport, WorkReportAck, WorkReports } from '@echomq/proto/messages';
import { statusOf } from '../messages/status.js';
import type { Holding, SessionEffect } from './effects.js';
import type { Heartbeats } from './heartbeats.js';
import type { Holdings } from './holdings.js';
import type { Pace } from './pace.js';
import type { ReportAnswer, ReportMemory } from './report-memory.js';
import { leaseLost, reportIdReused, violation } from './session-messages.js';
import type { Windows } from './windows.js';

/** What came of applying a report. */
export type Applied =
  /** `unbuffered`: the next job is taken for a free slot only. */
  | { readonly result: FinishResult; readonly unbuffered?: boolean }
  | { readonly error: EchoMQError };

/** What is known of a report that was carried. */
export function endOf(applied: Applied): 'stored' | 'refused' | 'unknown' {
  if ('result' in applied) return 'stored';
  return applied.error.retryable ? 'unknown' : 'refused';
}

/** Rejections that say that its lease is another's now, or nobody's… */
const LOST: ReadonlySet<string> = new Set(['LOCK_LOST', 'LOCK_NOT_OWNED']);
/** …and all after which the worker holds the job no longer. */
const OVER: ReadonlySet<string> = new Set([...LOST, 'JOB_NOT_FOUND', 'JOB_NOT_IN_STATE']);

/** Reports on one job that may wait for an earlier one. */
const MAX_WAITING = 16;
/** Reports of one message. */
const MAX_TOGETHER = 1_000;

/** Takes the reports of a session: applied in order per job and at once across jobs, answered once each. */
export class ReportDesk {
  /** Reports that are being applied. */
  #applying = 0;

  constructor(
    private readonly parts: {
      readonly holdings: Holdings;
      readonly windows: Windows;
      readonly memory: ReportMemory;
      readonly pace: Pace;
      readonly heartbeats: Heartbeats;
      /** Whether the session takes jobs: a report then brings the next one. */
      readonly takesJobs: () => boolean;
      /** How many jobs of a queue may wait at the worker for a slot. */
      readonly spare: (queueKey: string) => number;
      /** A lease that the session does not know, as a holding of its own; `undefined` if it cannot be one. */
      readonly stranger?: (lease: WorkReport['lease']) => Holding | undefined;
    },
  ) {}

  /** Whether a report is being applied. */
  get busy(): boolean {
    return this.#applying > 0;
  }

  /** Reports came in together: each is taken as if it had come alone, and the heartbeat after them. */
  receiveAll({ reports, heartbeat }: WorkReports, now: number): SessionEffect[] {
    if (reports.length > MAX_TOGETHER) {
      const what = `must not be more than ${MAX_TOGETHER}, are ${reports.length}`;
      return [{ kind: 'end', error: violation('reports.reports', what) }];
    }
    const effects = reports.flatMap((each) => this.receive(each, now));
    if (heartbeat) effects.push(...this.parts.heartbeats.receive(heartbeat, now));
    return effects;
  }

  /** A report came in. */
  receive(report: WorkReport, now: number): SessionEffect[] {
    const { memory, holdings, pace } = this.parts;
    const { reportId } = report;
    memory.acknowledge(report.ackedThrough);
    if (reportId === 0) return [refusal(0, violation('report.report_id', 'must not be 0'))];
    const known = memory.look(reportId);
    if (memory.isReused(report)) return [refusal(reportId, reportIdReused())];
    if (known === 'pending') return [];
    if (known !== 'new' && known !== 'forgotten') {
      return this.#again({ reportId, token: tokenOf(report) }, known);
    }
    if (known === 'forgotten') return [refusal(reportId, leaseLost())];
    const holding = holdings.get(tokenOf(report));
    // It may have ended at another server, whose answer was lost: its receipt will tell, or the lock.
    if (!holding) return this.#carry(report);
    if (this.#misnames(report, holding)) return [refusal(reportId, leaseLost())];
    if (holding.waiting.length >= MAX_WAITING) {
      return [refusal(reportId, violation('report.lease', 'has too many reports that wait'))];
    }
    memory.begin(report);
    holdings.accept(holding);
    if (holding.begunAt !== undefined) pace.ran(now - holding.begunAt);
    if (!holding.reporting) return [this.#apply(report, holding, now)];
    holding.waiting.push(report);
    return [];
  }

  /** A report was applied, or refused. */
  applied(report: WorkReport, outcome: Applied, now: number): SessionEffect[] {
    this.#applying--;
    const { memory, holdings, pace } = this.parts;
    const { reportId } = report;
    const holding = holdings.get(tokenOf(report));
    if (holding) holding.reporting = false;
    if (holding?.reportedAt !== undefined && 'result' in outcome)
      pace.stored(now - holding.reportedAt);
    if ('result' in outcome && outcome.unbuffered) pace.slowed();
    const error = 'error' in outcome ? outcome.error : undefined;
    // Its handler may have let nobody else work until it reported: then nobody saw before that the lock had run out.
    if (holding && error && LOST.has(error.reason)) pace.lost(now);
    const over = !error || OVER.has(error.reason);
    if (holding && error) holding.refused = !error.retryable;
    const answer = answerOf(outcome);
    // What was not applied may be sent again under the same id; a reused one stands for what the receipt was written for.
    if (error?.retryable || error?.reason === 'REQUEST_ID_REUSED') memory.forget(reportId);
    else memory.settle(reportId, answer, over ? tokenOf(report) : undefined);
    const effects = [ack(reportId, answer)];
    if (holding) effects.push(...(over ? this.#end(holding) : this.#next(holding, now)));
    return effects;
  }

  /** A report that an earlier stream of the session had in hand has its answer. */
  answered({ reportId, outcome }: WorkReportAck): SessionEffect[] {
    const token = this.parts.memory.endedBy(reportId) ?? '';
    return outcome ? this.#again({ reportId, token }, outcome) : [];
  }

  #again(
    { reportId, token }: { readonly reportId: number; readonly token: string },
    answer: ReportAnswer,
  ): SessionEffect[] {
    const replayed: ReportAnswer =
      answer.$case === 'result'
        ? { $case: 'result', value: { ...answer.value, replayed: true } }
        : answer;
    const holding = this.parts.holdings.get(token);
    const ended = holding && this.parts.memory.hasEnded(token);
    return [ack(reportId, replayed), ...(ended ? this.#end(holding) : [])];
  }

  #apply(report: WorkReport, holding: Holding, now: number): SessionEffect {
    const { windows, takesJobs, spare } = this.parts;
    const { queueKey, bytes } = holding;
    holding.reporting = true;
    holding.reportedAt = now;
    this.#applying++;
    const buffered = windows.isBeyond(1);
    const refill = takesJobs() && windows.refills(queueKey, bytes, buffered ? spare(queueKey) : 0);
    return { kind: 'apply', report, holding, refill, buffered };
  }

  #carry(report: WorkReport): SessionEffect[] {
    const stranger = this.parts.stranger?.(report.lease);
    if (!stranger) return [refusal(report.reportId, leaseLost())];
    this.parts.memory.begin(report);
    this.#applying++;
    return [{ kind: 'apply', report, holding: stranger, refill: false, buffered: false }];
  }

  /** A token of one job with the name of another proves nothing. */
  #misnames({ lease }: WorkReport, { jobId, queue, queueKey }: Holding): boolean {
    if (lease?.jobId !== jobId) return true;
    return lease.queue !== queue && this.parts.stranger?.(lease)?.queueKey !== queueKey;
  }

  #next(holding: Holding, now: number): SessionEffect[] {
    const next = holding.waiting.shift();
    return next ? [this.#apply(next, holding, now)] : [];
  }

  /** The job is no longer held; what was reported after its end meets no lease. */
  #end(holding: Holding): SessionEffect[] {
    const effects = this.parts.holdings.remove(holding);
    for (const { reportId } of holding.waiting.splice(0)) {
      const answer = answerOf({ error: leaseLost() });
      this.parts.memory.settle(reportId, answer);
      effects.push(ack(reportId, answer));
    }
    return effects;
  }
}

function tokenOf(report: WorkReport): string {
  return report.lease?.leaseToken ?? '';
}

function answerOf(outcome: Applied): ReportAnswer {
  return 'error' in outcome
    ? { $case: 'error', value: statusOf(outcome.error) }
    : { $case: 'result', value: outcome.result };
}

function ack(reportId: number, outcome: ReportAnswer): SessionEffect {
  return { kind: 'send', message: { $case: 'reportAck', value: { reportId, outcome } } };
}

function refusal(reportId: number, error: EchoMQError): SessionEffect {
  return ack(reportId, answerOf({ error }));
}
