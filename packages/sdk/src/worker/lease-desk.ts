import * as pb from '@echomq/proto/messages';
import type { EchoMQError } from '../errors.js';
import { Heartbeat } from './heartbeat.js';
import { HeldJob } from './held-job.js';
import { HeldJobs } from './held-jobs.js';
import { LeaseCalls, type LeaseCallsHost } from './lease-calls.js';
import { jobCancelled, leaseLost, lostBySignal, lostByStatus } from './lease-errors.js';
import { LeaseWatch } from './lease-watch.js';
import type { OpenStream } from './open-stream.js';
import type { StreamTerms } from './stream-terms.js';

/** What the desk asks of the session, and tells it. */
export interface LeaseDeskEvents<Data, Result> {
  live(): OpenStream | undefined;
  terms(): StreamTerms;
  ackedThrough(): number;
  load(): pb.WorkerLoad;
  /** Renews leases without a stream. */
  readonly extend: LeaseCallsHost['extend'];
  /** A job is no longer ours; its signal has aborted. */
  onLost(held: HeldJob<Data, Result>, error: EchoMQError): void;
  /** A job that has not begun is to be given back: the server wants it, or somebody has cancelled it. */
  onRecall(held: HeldJob<Data, Result>): void;
}

/** The leases in a worker's hands: says that they are held, hears how they stand, and notices when they are lost. */
export class LeaseDesk<Data, Result> {
  readonly held = new HeldJobs<Data, Result>();
  readonly #events: LeaseDeskEvents<Data, Result>;
  readonly #watch: LeaseWatch<HeldJob<Data, Result>>;
  readonly #heartbeat: Heartbeat<HeldJob<Data, Result>>;
  readonly #calls: LeaseCalls;
  #openedAt = 0;
  #sayTimer: NodeJS.Timeout | undefined;

  constructor(events: LeaseDeskEvents<Data, Result>) {
    this.#events = events;
    this.#watch = new LeaseWatch(
      () => this.held.all(),
      (held) => this.#lose(held, leaseLost('no renewal was confirmed in time', held.lease)),
      () => events.terms().lockMs,
    );
    this.#heartbeat = new Heartbeat({
      live: events.live,
      holdings: (seq, only) => this.held.named(seq, only),
      ackedThrough: events.ackedThrough,
      load: events.load,
      onSent: (seq, only) => this.#watch.sent(seq, only),
    });
    this.#calls = new LeaseCalls({
      leases: () => this.held.leases(),
      lockMs: () => events.terms().lockMs,
      extend: events.extend,
      onAnswer: (leases, askedAt) => this.#renewed(leases, askedAt),
    });
  }

  /** A stream is asked for: what it adopts, it adopts after now. */
  opening(): void {
    this.#openedAt = performance.now();
  }

  /** A stream is up. It says which leases go on. */
  opened({ adopted, rejected }: pb.WorkOpened): void {
    for (const { leaseToken, lockTtl } of adopted) {
      const held = this.held.get(leaseToken);
      const sureMs = pb.durationToMs(lockTtl) || this.#events.terms().sureMs;
      if (held !== undefined) this.#watch.extend(held, this.#openedAt + sureMs);
    }
    for (const { leaseToken, status } of rejected) {
      const held = this.held.get(leaseToken);
      if (held === undefined) continue;
      this.#lose(held, lostByStatus(status, held.lease) ?? leaseLost('not adopted', held.lease));
    }
    this.#calls.stop();
    this.#heartbeat.start(this.#events.terms().heartbeatMs);
  }

  /** The stream is gone, or another: its heartbeats are not answered, and what nobody had begun goes back by itself. */
  streamChanged(): void {
    this.#heartbeat.stop();
    clearTimeout(this.#sayTimer);
    this.#sayTimer = undefined;
    this.#watch.forgetSent();
    for (const held of this.held.inPhase('buffered')) this.held.forget(held);
    for (const held of this.held.inPhase('running')) held.unsentProgress = held.lastProgress;
    if (this.#events.live() === undefined) this.#calls.start();
  }

  /** Takes jobs in hand. */
  take(jobs: readonly pb.DeliveredJob[]): void {
    for (const delivered of jobs) {
      const { lease } = delivered;
      if (lease === undefined || this.held.get(lease.leaseToken) !== undefined) continue;
      const { lockMs, acceptMs } = this.#events.terms();
      const ttlMs = pb.durationToMs(delivered.lockTtl) || lockMs;
      this.held.add(new HeldJob(lease, delivered, { lockMs: ttlMs, acceptMs }));
    }
  }

  /** Accepts jobs: says that their handlers run, before they do. */
  accept(jobs: readonly HeldJob<Data, Result>[]): void {
    for (const held of jobs) this.held.turn(held, 'running');
    this.#heartbeat.beat(this.#events.terms().heartbeatMore ? jobs : undefined);
    this.#watch.arm(jobs);
  }

  /** Says now what is held and how busy the worker is. */
  say(): void {
    this.#heartbeat.beat();
  }

  /** Names what no heartbeat has named yet, in time; another heartbeat may do it before. */
  sayLater(): void {
    this.#sayTimer ??= setTimeout(() => {
      this.#sayTimer = undefined;
      if (this.held.all().some(({ firstSeq }) => firstSeq === undefined)) this.#heartbeat.beat();
    }, this.#events.terms().acceptMs / 4);
  }

  /** A heartbeat was answered. */
  answered(ack: pb.WorkHeartbeatAck): void {
    this.#watch.answered(ack, this.#events.terms().sureMs);
    this.#standing(ack.leases);
  }

  /** A call was answered, perhaps after the next stream has come up. */
  #renewed(leases: readonly pb.LeaseRenewal[], askedAt: number): void {
    for (const { leaseToken, lockTtl } of leases) {
      const held = this.held.get(leaseToken);
      const ttlMs = pb.durationToMs(lockTtl) ?? 0;
      if (held !== undefined && ttlMs > 0) this.#watch.extend(held, askedAt + ttlMs);
    }
    this.#standing(leases);
  }

  #standing(leases: readonly pb.LeaseRenewal[]): void {
    for (const { leaseToken, status } of leases) {
      const held = this.held.get(leaseToken);
      if (held === undefined) continue;
      const error = lostByStatus(status, held.lease);
      if (error !== undefined) this.#lose(held, error);
      else if (status === pb.LeaseStatus.CANCEL_REQUESTED) this.#cancel(held);
    }
  }

  /** Something happened to a job. */
  signalled(signal: pb.JobSignal): void {
    const held = this.held.get(signal.lease?.leaseToken ?? '');
    if (held === undefined) return;
    const error = lostBySignal(signal);
    if (error !== undefined) this.#lose(held, error);
    else if (signal.kind === pb.JobSignalKind.CANCEL_REQUESTED) this.#cancel(held);
    else if (signal.kind === pb.JobSignalKind.RECALL && held.phase === 'buffered') {
      this.#events.onRecall(held);
    }
  }

  /** Ends the timers. */
  stop(): void {
    clearTimeout(this.#sayTimer);
    this.#sayTimer = undefined;
    this.#heartbeat.stop();
    this.#calls.stop();
    this.#watch.stop();
  }

  /**
   * The handler is told; its end is reported all the same, and the server makes of it what was asked for. One that has
   * not begun need not: the job is given back, which ends it.
   */
  #cancel(held: HeldJob<Data, Result>): void {
    if (held.phase === 'running') held.controller.abort(jobCancelled(held.lease));
    else if (held.phase === 'buffered') this.#events.onRecall(held);
  }

  /** One whose run has ended waits for the answer to its report instead. */
  #lose(held: HeldJob<Data, Result>, error: EchoMQError): void {
    if (held.phase === 'reported' || held.phase === 'over') return;
    this.held.forget(held);
    held.controller.abort(error);
    this.#events.onLost(held, error);
  }
}
