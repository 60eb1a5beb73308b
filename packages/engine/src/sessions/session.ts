import { type EchoMQError, InvalidRequest, type RenewalOutcome } from '@echomq/core';
import {
  type FinishResult,
  type HeldJob,
  JobSignalKind,
  LeaseStatus,
  type SubscriptionStatus,
  type WorkDrain,
  type WorkHeartbeat,
  type WorkReport,
  type WorkRequest,
  type WorkWindow,
} from '@echomq/proto/messages';
import type { Delivery } from '../dispatch/consumer.js';
import { statusOf } from '../messages/status.js';
import type { Holding, SessionEffect } from './effects.js';
import { HeldNames } from './held-set.js';
import { Holdings } from './holdings.js';
import type { ReportMemory } from './report-memory.js';
import { jobSignal, leaseLost, unresponsive } from './session-messages.js';
import { type SessionSpans, windowSize } from './terms.js';
import type { Windows } from './windows.js';

/** What a session is made of. */
export interface SessionParts {
  readonly spans: SessionSpans;
  readonly windows: Windows;
  readonly memory: ReportMemory;
  /** The key of a queue that a message names; throws InvalidRequest for a bad name. */
  readonly queueKey: (name: string) => string;
  /** How the queues stand, for a keepalive. */
  readonly statuses: () => SubscriptionStatus[];
}

/** Rejections after which the worker holds the job no longer. */
const OVER: ReadonlySet<string> = new Set([
  'LOCK_LOST',
  'LOCK_NOT_OWNED',
  'JOB_NOT_FOUND',
  'JOB_NOT_IN_STATE',
]);

/**
 * One Work stream after its open, as a machine: what comes in are messages, deliveries, answers and ticks, each with
 * the time; what goes out are effects for whoever runs it. It has no timers, knows no link and no store.
 */
export class Session {
  readonly #holdings: Holdings;
  readonly #named = new HeldNames();
  #state: 'open' | 'draining' | 'over' = 'open';
  /** The worker has closed its side. */
  #inputEnded = false;
  #refusing = false;
  #heardAt: number;
  #sentAt: number;
  #tickedAt: number;
  #applying = 0;
  #keepalives = 0;
  /** After the stream: until when accepted leases are vouched for. */
  #resumeUntil = 0;

  constructor(
    private readonly parts: SessionParts,
    now: number,
  ) {
    this.#holdings = new Holdings(parts.windows);
    this.#heardAt = now;
    this.#sentAt = now;
    this.#tickedAt = now;
  }

  /** Whether it takes jobs. */
  get takesJobs(): boolean {
    return this.#state === 'open' && !this.#refusing;
  }

  /** Jobs that it holds. */
  get holdings(): Holdings {
    return this.#holdings;
  }

  /** Something was sent. */
  sent(now: number): void {
    this.#sentAt = now;
  }

  /** A message of the worker. */
  receive(request: WorkRequest, now: number): SessionEffect[] {
    this.#heardAt = now;
    const { message } = request;
    if (this.#state === 'over') return [];
    switch (message?.$case) {
      case 'open':
        return [{ kind: 'end', error: violation('open', 'was sent twice') }];
      case 'window':
        return this.#window(message.value);
      case 'report':
        this.parts.memory.acknowledge(message.value.ackedThrough);
        return this.#report(message.value);
      case 'heartbeat':
        this.parts.memory.acknowledge(message.value.ackedThrough);
        return this.#heartbeat(message.value, now);
      case 'progress':
        return [{ kind: 'progress', message: message.value }];
      case 'logs':
        return [{ kind: 'logs', message: message.value }];
      case 'drain':
        return this.#drain(message.value);
      default:
        // A newer worker may say what this version does not know.
        return [];
    }
  }

  /** A job that was fetched for it; `undefined` when it takes none or this one does not fit: give it back. */
  deliver(queueKey: string, delivery: Delivery, now: number): SessionEffect[] | undefined {
    if (!this.takesJobs || !this.parts.windows.fits(queueKey, delivery.bytes)) return undefined;
    const { job, jobId, token, bytes, lockMs } = delivery;
    const keep = this.#holdings.add({
      queue: job.lease?.queue ?? '',
      queueKey,
      jobId,
      token,
      bytes,
      lockMs,
      attemptsMade: job.attempt - 1,
      deliveredAt: now,
      accepted: false,
      running: false,
      reporting: false,
      waiting: [],
      outlived: false,
    });
    return [keep, { kind: 'deliver', job, bytes }];
  }

  /** A lease of an earlier stream, proved to be the worker's still. */
  adopt(
    lease: Pick<Holding, 'queue' | 'queueKey' | 'jobId' | 'token' | 'lockMs'>,
    now: number,
  ): SessionEffect[] {
    if (this.#state === 'over' || this.#holdings.get(lease.token)) return [];
    return [
      this.#holdings.add({
        ...lease,
        bytes: 0,
        deliveredAt: now,
        accepted: true,
        running: true,
        reporting: false,
        waiting: [],
        outlived: false,
      }),
    ];
  }

  /** A report was applied, or refused. */
  applied(
    report: WorkReport,
    outcome: { readonly result: FinishResult } | { readonly error: EchoMQError },
  ): SessionEffect[] {
    this.#applying--;
    const { memory } = this.parts;
    const { reportId } = report;
    const token = report.lease?.leaseToken ?? '';
    const holding = this.#holdings.get(token);
    if (holding) holding.reporting = false;
    const error = 'error' in outcome ? outcome.error : undefined;
    const over = !error || OVER.has(error.reason);
    const answer = error
      ? ({ $case: 'error', value: statusOf(error) } as const)
      : ({ $case: 'result', value: (outcome as { result: FinishResult }).result } as const);
    if (error?.retryable) memory.forget(reportId);
    else memory.settle(reportId, answer, over ? token : undefined);
    if (this.#state === 'over') return over && holding ? this.#holdings.remove(holding) : [];
    return [
      { kind: 'send', message: { $case: 'reportAck', value: { reportId, outcome: answer } } },
      ...this.#afterReport(holding, over),
      ...this.#endIfDone(),
    ];
  }

  /** A report that an earlier stream of the session had in hand has its answer. */
  answeredElsewhere(report: WorkReport): SessionEffect[] {
    if (this.#state === 'over') return [];
    const answer = this.parts.memory.look(report.reportId);
    return typeof answer === 'object' ? this.#answerAgain(report, answer) : [];
  }

  /** A lease is over without the worker's doing. */
  lost(token: string, outcome: RenewalOutcome): SessionEffect[] {
    const holding = this.#holdings.get(token);
    // The report will say it.
    if (!holding || holding.reporting) return [];
    const removed = this.#holdings.remove(holding);
    if (this.#state === 'over') return removed;
    const gone = outcome === 'JOB_NOT_FOUND';
    const kind = gone ? JobSignalKind.REMOVED : JobSignalKind.LOCK_LOST;
    return [...removed, jobSignal(holding, kind), this.#freed(holding), ...this.#endIfDone()];
  }

  /** Whether there is evidence that this job is being worked on: see gateway-api, Lock ownership. */
  vouches(token: string, now: number): boolean {
    const holding = this.#holdings.get(token);
    const { livenessMs, acceptMs, maxLifetimeMs } = this.parts.spans;
    if (!holding) return false;
    const age = now - holding.deliveredAt;
    if (age >= maxLifetimeMs) return false;
    if (this.#state === 'over') return holding.accepted && now < this.#resumeUntil;
    if (now - this.#heardAt > livenessMs) return false;
    return holding.reporting || this.#named.has(token) || age < acceptMs;
  }

  /** Time has passed. */
  tick(now: number): SessionEffect[] {
    const { livenessMs, keepaliveMs } = this.parts.spans;
    if (this.#state === 'over') return [];
    const stalled = now - this.#tickedAt > livenessMs / 2 + 1_000;
    this.#tickedAt = now;
    // This process slept, not the worker: what it sent meanwhile is read first.
    if (stalled) return [];
    if (now - this.#heardAt > livenessMs) return [{ kind: 'end', error: unresponsive() }];
    const effects = [...this.#releaseUnaccepted(now), ...this.#outlive(now)];
    if (effects.length === 0 && now - this.#sentAt >= keepaliveMs) {
      const value = { seq: ++this.#keepalives, queues: this.parts.statuses() };
      return [{ kind: 'send', message: { $case: 'keepalive', value } }];
    }
    return effects;
  }

  /** The server is about to leave: no more deliveries. */
  refuse(): void {
    this.#refusing = true;
  }

  /** The worker closed its side. */
  inputEnded(): SessionEffect[] {
    this.#inputEnded = true;
    if (this.#state === 'draining') return this.#endIfDone();
    if (this.#state === 'over') return [];
    return [{ kind: 'end', error: violation('drain', 'must be sent before the stream is closed') }];
  }

  /**
   * The stream is over. What the worker has not begun goes back to the front; the rest is vouched for until the time
   * to reconnect has passed, unless the worker fell silent.
   */
  end(now: number, silent: boolean): SessionEffect[] {
    if (this.#state === 'over') return [];
    this.#state = 'over';
    this.#resumeUntil = silent ? 0 : now + this.parts.spans.resumeMs;
    const unbegun = [...this.#holdings.all()].filter(
      (holding) => !holding.reporting && !(holding.accepted && holding.running),
    );
    return this.#holdings.release(unbegun).filter(({ kind }) => kind !== 'demand');
  }

  /**
   * A newer stream of the session has told what the worker holds: those it vouches for, the rest goes back to the
   * front.
   */
  yieldTo(adopted: ReadonlySet<string>): SessionEffect[] {
    const held = [...this.#holdings.all()];
    const rest = held.filter((holding) => !holding.reporting && !adopted.has(holding.token));
    return [
      ...held
        .filter(({ token }) => adopted.has(token))
        .flatMap((holding) => this.#holdings.remove(holding)),
      ...this.#holdings.release(rest),
    ];
  }

  /** Nobody resumed it: nothing is vouched for any longer. */
  expire(): SessionEffect[] {
    this.#resumeUntil = 0;
    return [...this.#holdings.all()].flatMap((holding) => this.#holdings.remove(holding));
  }

  #window(window: WorkWindow): SessionEffect[] {
    try {
      const queueKey = this.parts.queueKey(window.queue);
      const known = this.parts.windows.resize(queueKey, windowSize(window, 'window'));
      if (!known) throw violation('window.queue', 'is not subscribed');
      return [{ kind: 'demand', queueKey }];
    } catch (error) {
      return [{ kind: 'end', error: error as EchoMQError }];
    }
  }

  #report(report: WorkReport): SessionEffect[] {
    const { reportId } = report;
    const token = report.lease?.leaseToken ?? '';
    const known = this.parts.memory.look(reportId);
    if (typeof known === 'object') return this.#answerAgain(report, known);
    if (known === 'pending') return [];
    const holding = this.#holdings.get(token);
    if (!holding || known === 'forgotten' || reportId === 0) {
      const error = reportId === 0 ? violation('report.report_id', 'must not be 0') : leaseLost();
      const outcome = { $case: 'error', value: statusOf(error) } as const;
      return [{ kind: 'send', message: { $case: 'reportAck', value: { reportId, outcome } } }];
    }
    this.parts.memory.begin(reportId);
    this.#holdings.accept(holding);
    if (holding.reporting) {
      holding.waiting.push(report);
      return [];
    }
    return [this.#apply(report, holding)];
  }

  #apply(report: WorkReport, holding: Holding): SessionEffect {
    holding.reporting = true;
    this.#applying++;
    const refill = this.takesJobs && this.parts.windows.refills(holding.queueKey, holding.bytes);
    if (refill) this.parts.windows.begin(holding.queueKey);
    return { kind: 'apply', report, holding, refill };
  }

  #afterReport(holding: Holding | undefined, over: boolean): SessionEffect[] {
    if (!holding) return [];
    if (!over) {
      const next = holding.waiting.shift();
      return next ? [this.#apply(next, holding)] : [];
    }
    const effects = [...this.#holdings.remove(holding), this.#freed(holding)];
    for (const { reportId } of holding.waiting.splice(0)) {
      const outcome = { $case: 'error', value: statusOf(leaseLost()) } as const;
      this.parts.memory.settle(reportId, outcome);
      effects.push({
        kind: 'send',
        message: { $case: 'reportAck', value: { reportId, outcome } },
      });
    }
    return effects;
  }

  #answerAgain(report: WorkReport, outcome: ReturnType<ReportMemory['look']>): SessionEffect[] {
    if (typeof outcome !== 'object') return [];
    const { reportId } = report;
    const token = report.lease?.leaseToken ?? '';
    const holding = this.#holdings.get(token);
    const again =
      outcome.$case === 'result'
        ? { ...outcome, value: { ...outcome.value, replayed: true } }
        : outcome;
    return [
      { kind: 'send', message: { $case: 'reportAck', value: { reportId, outcome: again } } },
      ...(holding && this.parts.memory.hasEnded(token) ? this.#afterReport(holding, true) : []),
    ];
  }

  #heartbeat(heartbeat: WorkHeartbeat, now: number): SessionEffect[] {
    const { holdings, seq, load } = heartbeat;
    const effects: SessionEffect[] = [];
    if (load && load.capacity > 0) {
      this.parts.windows.limitTo(load.capacity);
      effects.push({ kind: 'demand' });
    }
    if (holdings?.$case === 'held') {
      this.#named.replace(holdings.value.jobs);
      effects.push(...this.#reconcile(now));
    } else if (holdings?.$case === 'unchanged' && this.#named.matches(holdings.value)) {
      effects.push(...this.#reconcile(now));
    }
    const unknown = effects.flatMap((effect) =>
      effect.kind === 'send' && effect.message.$case === 'jobSignal'
        ? [effect.message.value.lease?.leaseToken ?? '']
        : [],
    );
    const leases = unknown.map((leaseToken) => ({
      leaseToken,
      status: LeaseStatus.LOST,
      lockTtl: undefined,
    }));
    effects.push({ kind: 'send', message: { $case: 'heartbeatAck', value: { seq, leases } } });
    return effects;
  }

  /** Compares what the worker named with what it was given. */
  #reconcile(now: number): SessionEffect[] {
    const effects = this.#named.jobs.flatMap((job) => this.#claim(job));
    const dropped = [...this.#holdings.all()].filter(
      (holding) =>
        !holding.reporting &&
        !this.#named.has(holding.token) &&
        now - holding.deliveredAt >= this.parts.spans.acceptMs,
    );
    return [...effects, ...this.#holdings.release(dropped)];
  }

  #claim({ leaseToken, running }: HeldJob): SessionEffect[] {
    const holding = this.#holdings.get(leaseToken);
    if (holding) {
      this.#holdings.accept(holding);
      holding.running ||= running;
      return [];
    }
    if (this.parts.memory.hasEnded(leaseToken)) return [];
    const stranger = { queue: '', jobId: '', token: leaseToken };
    return [jobSignal(stranger, JobSignalKind.LOCK_LOST)];
  }

  #drain({ releaseUnstarted }: WorkDrain): SessionEffect[] {
    if (this.#state !== 'open') return [];
    this.#state = 'draining';
    const released = [...this.#holdings.all()].filter(
      (holding) =>
        !holding.reporting && (!holding.accepted || (releaseUnstarted && !holding.running)),
    );
    return [...this.#holdings.release(released), ...this.#endIfDone()];
  }

  #endIfDone(): SessionEffect[] {
    const done = this.#state === 'draining' && this.#inputEnded && this.#applying === 0;
    return done ? [{ kind: 'end' }] : [];
  }

  #releaseUnaccepted(now: number): SessionEffect[] {
    const late: Holding[] = [];
    for (const holding of this.#holdings.unaccepted()) {
      if (now - holding.deliveredAt < this.parts.spans.acceptMs) break;
      late.push(holding);
    }
    return this.#holdings.release(late);
  }

  #outlive(now: number): SessionEffect[] {
    const effects: SessionEffect[] = [];
    for (const holding of this.#holdings.all()) {
      if (now - holding.deliveredAt < this.parts.spans.maxLifetimeMs) break;
      if (holding.outlived) continue;
      holding.outlived = true;
      effects.push(jobSignal(holding, JobSignalKind.LOCK_MAX_LIFETIME));
    }
    return effects;
  }

  #freed(holding: Holding): SessionEffect {
    const { queueKey } = holding;
    return this.parts.windows.shared ? { kind: 'demand' } : { kind: 'demand', queueKey };
  }
}

/** The error for a message that the protocol does not allow. */
export function violation(field: string, problem: string): InvalidRequest {
  return new InvalidRequest(field, problem, 'PROTOCOL_VIOLATION');
}
