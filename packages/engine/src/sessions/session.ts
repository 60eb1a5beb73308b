import type { EchoMQError, RenewalOutcome } from '@echomq/core';
import {
  JobSignalKind,
  type WorkDrain,
  type WorkLogs,
  type WorkReport,
  type WorkReportAck,
  type WorkRequest,
  type WorkWindow,
} from '@echomq/proto/messages';
import type { Delivery } from '../dispatch/consumer.js';
import type { Holding } from './effects.js';
import { afterTheEnd, type SessionEffect } from './effects.js';
import { Heartbeats } from './heartbeats.js';
import { type AdoptedLease, adoptedHolding, holdingOf } from './holding-of.js';
import { Holdings } from './holdings.js';
import { cancelled, outlived } from './lease-signals.js';
import { Pace } from './pace.js';
import { type Late, recallJobs, recallLate } from './recalls.js';
import { type Applied, ReportDesk } from './report-desk.js';
import { jobSignal, unresponsive, violation } from './session-messages.js';
import type { SessionParts, Standing } from './session-parts.js';
import { windowSize } from './terms.js';

/**
 * One Work stream after its open, as a machine: what comes in are messages, deliveries, answers and ticks, each with
 * the time; what goes out are effects for whoever runs it. It has no timers, knows no link and no store.
 */
export class Session {
  readonly holdings: Holdings;
  readonly #reports: ReportDesk;
  readonly #heartbeats: Heartbeats;
  readonly #pace = new Pace();
  #state: 'open' | 'draining' | 'over' = 'open';
  /** The worker has closed its side. */
  #inputEnded = false;
  #refusing = false;
  #heardAt: number;
  #sentAt: number;
  #tickedAt: number;
  #keepalives = 0;
  /** After the stream: until when what runs is vouched for. */
  #resumeUntil = 0;

  constructor(
    private readonly parts: SessionParts,
    now: number,
  ) {
    const { windows, memory, spans } = parts;
    const holdings = new Holdings(windows);
    this.holdings = holdings;
    const held = { holdings, windows, memory, pace: this.#pace };
    const takesJobs = () => this.takesJobs;
    const stranger = parts.stranger ? { stranger: parts.stranger } : {};
    const spare = (queueKey: string) => this.spare(queueKey, this.#heardAt);
    this.#heartbeats = new Heartbeats({ ...held, spans });
    const answering = { ...held, takesJobs, spare, heartbeats: this.#heartbeats };
    this.#reports = new ReportDesk({ ...answering, ...stranger });
    this.#heardAt = now;
    this.#sentAt = now;
    this.#tickedAt = now;
  }

  /** Whether it takes jobs. */
  get takesJobs(): boolean {
    return this.#state === 'open' && !this.#refusing;
  }

  /** Whether answers to reports are to come. */
  get reporting(): boolean {
    return this.#reports.busy;
  }

  /** How many jobs of a queue may wait at the worker for a slot. */
  spare(queueKey: string, now: number): number {
    const slots = this.parts.windows.capacity ?? 0;
    const spare = slots === 0 ? 0 : this.#pace.spare(slots, now);
    return spare > 0 && this.parts.mayWait?.(queueKey) ? spare : 0;
  }

  /** The next job of a queue is taken for a free slot only: for a while none waits at the worker. */
  readonly unbuffered = (): void => this.#pace.slowed();

  /** Asks for jobs of a queue back that have not begun. Returns how many are asked for, and what to do. */
  recall(queueKey: string, count: number): ReturnType<typeof recallJobs> {
    if (this.#state === 'over') return { effects: [], asked: 0 };
    return recallJobs(this.holdings, queueKey, count);
  }

  /** Asks for what has waited too long for a slot. */
  recallLate(now: number): Late {
    const late = recallLate(this.holdings, now);
    if (late.effects.length > 0) this.#pace.slowed();
    return late;
  }

  /** Something was sent. */
  sent(now: number): void {
    this.#sentAt = now;
  }

  /** A message of the worker. */
  receive({ message }: WorkRequest, now: number): SessionEffect[] {
    this.#heardAt = now;
    if (this.#state === 'over') return [];
    switch (message?.$case) {
      case 'open':
        return [{ kind: 'end', error: violation('open', 'was sent twice') }];
      case 'window':
        return this.#window(message.value);
      case 'report':
        return this.#reports.receive(message.value, now);
      case 'reports':
        return this.#reports.receiveAll(message.value, now);
      case 'heartbeat':
        return this.#heartbeats.receive(message.value, now);
      case 'progress':
        return [{ kind: 'progress', message: message.value }];
      case 'logs':
        return [this.#logs(message.value)];
      case 'drain':
        return this.#drain(message.value);
      default:
        // A newer worker may say what this version does not know.
        return [];
    }
  }

  /** A job that was fetched for it; `undefined` when it takes none or this one does not fit: it is given back. */
  deliver(queueKey: string, delivery: Delivery, now: number): SessionEffect[] | undefined {
    const { job, bytes, buffered, token } = delivery;
    // It came again with an answer that was given again; the worker had brought it along itself.
    if (this.holdings.get(token)) return [];
    if (!this.takesJobs || !this.parts.windows.fits(queueKey, bytes, buffered)) return undefined;
    const holding = holdingOf(queueKey, delivery, now);
    return [this.holdings.add(holding), { kind: 'deliver', job, bytes }];
  }

  /** A lease of an earlier stream, proved to be the worker's still. */
  adopt(lease: AdoptedLease, now: number): SessionEffect[] {
    if (this.#state === 'over' || this.holdings.get(lease.token)) return [];
    return [this.holdings.add(adoptedHolding(lease, now))];
  }

  /** A report was applied, or refused. */
  applied(report: WorkReport, outcome: Applied, now: number): SessionEffect[] {
    const { queueKey } = this.holdings.get(report.lease?.leaseToken ?? '') ?? {};
    const effects = this.#reports.applied(report, outcome, now);
    if (this.#state === 'over') return effects.flatMap(afterTheEnd);
    effects.push(this.#freed(queueKey));
    effects.push(...this.#endIfDone());
    return effects;
  }

  /** A report that an earlier stream of the session had in hand has its answer. */
  answeredElsewhere(ack: WorkReportAck): SessionEffect[] {
    if (this.#state === 'over') return [];
    return [...this.#reports.answered(ack), { kind: 'demand' }];
  }

  /** A lease is over without the worker's doing. */
  lost(token: string, outcome: RenewalOutcome, now: number): SessionEffect[] {
    const holding = this.holdings.get(token);
    // The report under way will say it.
    if (!holding || holding.reporting) return [];
    if (outcome !== 'JOB_NOT_FOUND') this.#pace.lost(now);
    // Its lock ran out before anybody had accepted it, whoever has taken it since: that is no stall of its worker's.
    const unbegun = outcome !== 'JOB_NOT_FOUND' && !holding.accepted;
    const removed = unbegun ? this.holdings.release([holding]) : this.holdings.remove(holding);
    if (this.#state === 'over') return removed;
    const gone = outcome === 'JOB_NOT_FOUND';
    const signal = jobSignal(holding, gone ? JobSignalKind.REMOVED : JobSignalKind.LOCK_LOST);
    return [...removed, signal, this.#freed(holding.queueKey), ...this.#endIfDone()];
  }

  /** Somebody asked to cancel the job of a lease that goes on. */
  cancelRequested(token: string): SessionEffect[] {
    return this.#state === 'over' ? [] : cancelled(this.holdings.get(token));
  }

  /** How the worker stands; `undefined` once it counts as gone. */
  standing(now: number): Standing | undefined {
    const heardMsAgo = now - this.#heardAt;
    if (this.#state === 'over' || heardMsAgo > this.parts.spans.livenessMs) return undefined;
    return { heardMsAgo, ...this.#heartbeats.last };
  }

  /** Whether there is evidence now that this job is being worked on. */
  vouches(token: string, now: number): boolean {
    const holding = this.holdings.get(token);
    const { livenessMs, acceptMs, maxLifetimeMs } = this.parts.spans;
    if (!holding) return false;
    const age = now - holding.deliveredAt;
    if (age >= maxLifetimeMs) return false;
    if (this.#state === 'over') return holding.accepted && now < this.#resumeUntil;
    if (now - this.#heardAt > livenessMs) return false;
    return holding.reporting || this.#heartbeats.names(holding) || age < acceptMs;
  }

  /** Time has passed. */
  tick(now: number): SessionEffect[] {
    const { livenessMs, keepaliveMs, acceptMs, maxLifetimeMs } = this.parts.spans;
    if (this.#state === 'over') return [];
    const stalled = now - this.#tickedAt > livenessMs / 2 + 1_000;
    this.#tickedAt = now;
    // This process slept, not the worker: what it sent meanwhile is read first.
    if (stalled) return [];
    if (now - this.#heardAt > livenessMs) return [{ kind: 'end', error: unresponsive() }];
    const unaccepted = this.holdings.release(this.holdings.unacceptedSince(now - acceptMs));
    const tooOld = outlived(this.holdings, now - maxLifetimeMs);
    const effects = [...unaccepted, ...tooOld];
    if (now - this.#sentAt < keepaliveMs) return effects;
    const value = { seq: ++this.#keepalives, queues: this.parts.statuses() };
    return [...effects, { kind: 'send', message: { $case: 'keepalive', value } }];
  }

  /** The server is about to leave: no more deliveries. */
  refuse(): void {
    this.#refusing = true;
  }

  /** The worker closed its side: in good order only after a drain. */
  inputEnded(): SessionEffect[] {
    this.#inputEnded = true;
    if (this.#state !== 'open') return this.#endIfDone();
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
    const unbegun = this.holdings
      .all()
      .filter(({ reporting, accepted, running }) => !reporting && !(accepted && running));
    return this.holdings.release(unbegun);
  }

  /**
   * A newer stream of the session has told what the worker holds: it vouches for those, the rest goes back to the
   * front.
   */
  yieldTo(adopted: ReadonlySet<string>): SessionEffect[] {
    // What is being reported stays here until that is done: other reports may wait for it.
    const idle = this.holdings.all().filter(({ reporting }) => !reporting);
    const taken = idle.filter(({ token }) => adopted.has(token));
    const rest = idle.filter(({ token }) => !adopted.has(token));
    return [
      ...taken.flatMap((holding) => this.holdings.remove(holding)),
      ...this.holdings.release(rest),
    ];
  }

  /** Nobody resumed it: nothing is vouched for any longer. */
  expire(): SessionEffect[] {
    this.#resumeUntil = 0;
    return this.holdings.all().flatMap((holding) => this.holdings.remove(holding));
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

  #logs(message: WorkLogs): SessionEffect {
    const { keepLogs } = this.holdings.get(message.lease?.leaseToken ?? '') ?? {};
    return { kind: 'logs', message, ...(keepLogs === undefined ? {} : { keepLogs }) };
  }

  #drain({ releaseUnstarted }: WorkDrain): SessionEffect[] {
    if (this.#state !== 'open') return [];
    this.#state = 'draining';
    const idle = this.holdings.all().filter(({ reporting }) => !reporting);
    const goes = (each: Holding) => !each.accepted || (releaseUnstarted && !each.running);
    return [...this.holdings.release(idle.filter(goes)), ...this.#endIfDone()];
  }

  #endIfDone(): SessionEffect[] {
    const done = this.#state === 'draining' && this.#inputEnded && !this.#reports.busy;
    return done ? [{ kind: 'end' }] : [];
  }

  #freed(queueKey: string | undefined): SessionEffect {
    // A slot that all queues share may be any one's.
    if (queueKey === undefined || this.parts.windows.shared) return { kind: 'demand' };
    return { kind: 'demand', queueKey };
  }
}
