import { randomUUID } from 'node:crypto';
import * as pb from '@echomq/proto/messages';
import type { EchoMQError } from '../errors.js';
import { Directives } from './directives.js';
import { Heartbeat } from './heartbeat.js';
import { HeldJob } from './held-job.js';
import { HeldJobs } from './held-jobs.js';
import { flushHeld } from './hold-port.js';
import {
  jobCancelled,
  leaseLost,
  lostBySignal,
  lostByStatus,
  workerClosed,
} from './lease-errors.js';
import { LeaseWatch } from './lease-watch.js';
import { released } from './outcomes.js';
import { ReportDesk } from './report-desk.js';
import { Runs } from './runs.js';
import type { SessionSetup } from './session-setup.js';
import { StreamLoop } from './stream-loop.js';
import { type StreamTerms, termsOf } from './stream-terms.js';
import { Waiters } from './waiters.js';

/**
 * One worker's conversation with the server: it takes what is delivered, says what it holds, runs it, reports how it
 * ended, and keeps all that over broken streams. A job is in `#held` from its delivery to the answer to its report.
 */
export class WorkerSession<Data, Result> {
  readonly #setup: SessionSetup<Data, Result>;
  readonly #held = new HeldJobs<Data, Result>();
  readonly #loop: StreamLoop;
  readonly #watch: LeaseWatch<HeldJob<Data, Result>>;
  readonly #heartbeat: Heartbeat;
  readonly #reports: ReportDesk<Data, Result>;
  readonly #runs: Runs<Data, Result>;
  readonly #directives: Directives;
  readonly #changed = new Waiters();
  #terms: StreamTerms = termsOf(pb.WorkOpened.create(), 30_000);
  #sessionId = randomUUID();
  #epoch = 0;
  #askedAt = 0;
  #concurrency: number;
  #sentWindow = 0;
  #taking = true;
  /** Another stream is on its way: what the old one still delivers is left to go back. */
  #moving = false;
  #leaving = false;
  #worked = false;

  constructor(setup: SessionSetup<Data, Result>, concurrency: number) {
    this.#setup = setup;
    this.#concurrency = concurrency;
    const running = () => this.#held.inPhase('running');
    this.#watch = new LeaseWatch(
      running,
      (held) => this.#lose(held, leaseLost('no renewal was confirmed in time', held.lease)),
      setup.lockMs,
    );
    this.#heartbeat = new Heartbeat({
      live: () => this.#loop.live,
      holdings: (seq) => this.#held.named(seq),
      ackedThrough: () => this.#reports.ackedThrough,
      load: () => this.#load(),
      onSent: (seq) => this.#watch.sent(seq),
    });
    this.#loop = new StreamLoop(setup.connection.transport, {
      openMessage: () => this.#openMessage(),
      onOpened: (opened) => this.#opened(opened),
      onMessage: (message) => this.#guarded(() => this.#message(message)),
      onDown: (error) => this.#down(error),
      onFailed: (error) => this.#failed(error),
      onSessionOver: () => this.#newSession(),
    });
    this.#directives = new Directives({
      live: () => this.#loop.live,
      onMove: () => this.#loop.connect({ fresh: true }),
      onChange: () => this.#update(),
    });
    this.#reports = new ReportDesk({
      send: (report) => this.#loop.live?.send({ $case: 'report', value: report }),
      onStored: (held, end, result) => {
        this.#held.forget(held);
        this.#runs.stored(held, end, result);
        this.#update();
      },
      onLost: (held, error) => {
        this.#held.forget(held);
        if (held.job !== undefined) setup.tell('leaseLost', held.job, error);
        this.#update();
      },
      onGivenUp: (held, error) => {
        this.#held.forget(held);
        setup.tell('error', error);
        this.#update();
      },
    });
    this.#runs = new Runs(setup, {
      live: () => this.#loop.live,
      whenUp: () => this.#changed.next(),
      maxResultBytes: () => this.#terms.maxResultBytes,
      onEnd: (held, end) => {
        if (held.phase === 'running') this.#reports.report(held, end);
        this.#update();
      },
    });
  }

  /** Handlers that have not come to their end, also those whose jobs are lost. */
  get handlers(): number {
    return this.#runs.count;
  }

  /** Jobs in hand. */
  get held(): number {
    return this.#held.size;
  }

  /** Opens the stream. */
  start(): void {
    this.#loop.connect();
  }

  /** False: takes no more jobs, and gives back what has not begun. */
  take(taking: boolean): void {
    this.#taking = taking;
    if (!taking) for (const held of this.#held.inPhase('buffered')) this.#giveBack(held);
    this.#update();
  }

  /** Changes how many handlers may run at once. */
  resize(concurrency: number): void {
    const grows = concurrency > this.#concurrency;
    this.#concurrency = concurrency;
    // The bound over all queues stands in the first message of a stream.
    if (grows && this.#setup.queues.length > 1) this.#loop.connect();
    this.#update();
  }

  /** How long the queue is held where a RateLimitError names no time, in ms. */
  set rateLimitMs(ms: number) {
    this.#runs.rateLimitMs = ms;
  }

  /** Resolves when `done` is true: asked after each change. False if that does not come within `limitMs`. */
  until(done: () => boolean, limitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.#changed.until(done, limitMs);
  }

  /** Gives all jobs back, no attempt counted, and tells their handlers. */
  giveBackAll(): void {
    for (const held of this.#held.all()) {
      if (held.phase === 'reported') continue;
      const error = workerClosed(held.lease);
      this.#giveBack(held);
      held.controller.abort(error);
    }
    this.#update();
  }

  /** Ends the stream in good order, if there is one. */
  async leave(limitMs: number): Promise<void> {
    this.#leaving = true;
    const { live } = this.#loop;
    if (live !== undefined) {
      this.#sendDrain('the worker closes');
      await this.until(() => this.#loop.live === undefined, limitMs);
    }
    this.stop();
  }

  /** Breaks off. */
  stop(): void {
    this.#loop.stop();
    this.#heartbeat.stop();
    this.#watch.stop();
    this.#reports.stop();
    this.#directives.stop();
    this.#changed.tell();
  }

  #openMessage(): pb.WorkOpen {
    const { queues, lockMs, rateLimit, info } = this.#setup;
    this.#moving = this.#loop.live !== undefined;
    this.#askedAt = performance.now();
    const epoch = this.#epoch;
    this.#epoch += 1;
    this.#sentWindow = this.#window();
    return {
      worker: { ...info, sessionId: this.#sessionId },
      subscriptions: queues.map((queue) => ({
        queue,
        maxInFlight: this.#sentWindow,
        maxInFlightBytes: undefined,
        lockDuration: pb.msToDuration(lockMs),
        weight: 0,
        rateLimit,
      })),
      globalMaxInFlight: this.#concurrency,
      held: this.#held.leases(),
      epoch,
      load: this.#load(),
      features: [],
      ackedThrough: this.#reports.ackedThrough,
    };
  }

  #opened(opened: pb.WorkOpened): number {
    this.#terms = termsOf(opened, this.#setup.lockMs);
    this.#streamChanged();
    for (const { leaseToken, lockTtl } of opened.adopted) {
      const held = this.#held.get(leaseToken);
      const sureMs = pb.durationToMs(lockTtl) || this.#terms.sureMs;
      if (held !== undefined) this.#watch.extend(held, this.#askedAt + sureMs);
    }
    for (const { leaseToken, status } of opened.rejected) {
      const held = this.#held.get(leaseToken);
      if (held === undefined) continue;
      this.#lose(held, lostByStatus(status, held.lease) ?? leaseLost('not adopted', held.lease));
    }
    const { live } = this.#loop;
    if (live !== undefined) for (const held of this.#held.inPhase('running')) flushHeld(held, live);
    this.#reports.resend();
    this.#heartbeat.start(this.#terms.heartbeatMs);
    this.#update();
    this.#setup.tell('ready');
    return this.#terms.silenceMs;
  }

  /** A newer server may say what this version does not know. */
  #message({ message }: pb.WorkResponse): void {
    if (message?.$case === 'delivery') this.#delivered(message.value.jobs);
    else if (message?.$case === 'reportAck') this.#reports.answered(message.value);
    else if (message?.$case === 'heartbeatAck') this.#heartbeatAnswered(message.value);
    else if (message?.$case === 'jobSignal') this.#signalled(message.value);
    else if (message?.$case === 'directive') this.#directives.take(message.value);
    else if (message?.$case === 'keepalive') this.#keptAlive(message.value);
  }

  #delivered(jobs: readonly pb.DeliveredJob[]): void {
    if (this.#moving) return;
    for (const delivered of jobs) {
      const { lease } = delivered;
      if (lease === undefined || this.#held.get(lease.leaseToken)) continue;
      const ttlMs = pb.durationToMs(delivered.lockTtl) || this.#setup.lockMs;
      const held = new HeldJob<Data, Result>(lease, delivered, performance.now() + ttlMs);
      this.#held.add(held);
      if (!this.#taking) this.#giveBack(held);
    }
    // What arrives together is accepted by one heartbeat.
    setImmediate(() => this.#guarded(() => this.#begin()));
  }

  /** Starts what may start. The heartbeat that accepts it goes before. */
  #begin(): void {
    if (this.#loop.live === undefined || !this.#taking) return;
    const free = this.#concurrency - this.#runs.count;
    const first = this.#held.inPhase('buffered').slice(0, Math.max(0, free));
    if (first.length === 0) return;
    this.#worked = true;
    for (const held of first) held.phase = 'running';
    this.#heartbeat.beat();
    for (const held of first) this.#runs.run(held);
    this.#watch.arm();
  }

  #heartbeatAnswered(ack: pb.WorkHeartbeatAck): void {
    this.#watch.answered(ack, this.#terms.sureMs);
    for (const { leaseToken, status } of ack.leases) {
      const held = this.#held.get(leaseToken);
      if (held === undefined) continue;
      const error = lostByStatus(status, held.lease);
      if (error !== undefined) this.#lose(held, error);
      else if (status === pb.LeaseStatus.CANCEL_REQUESTED) this.#cancel(held);
    }
  }

  #signalled(signal: pb.JobSignal): void {
    const held = this.#held.get(signal.lease?.leaseToken ?? '');
    if (held === undefined) return;
    const error = lostBySignal(signal);
    if (error !== undefined) this.#lose(held, error);
    else if (signal.kind === pb.JobSignalKind.CANCEL_REQUESTED) this.#cancel(held);
    else if (signal.kind === pb.JobSignalKind.RECALL && held.phase === 'buffered') {
      this.#giveBack(held);
    }
  }

  #keptAlive({ queues }: pb.WorkKeepalive): void {
    const idle = queues.every(({ state }) => state === pb.SubscriptionState.IDLE);
    if (!idle || !this.#worked || this.#held.size > 0) return;
    this.#worked = false;
    this.#setup.tell('drained');
  }

  #cancel(held: HeldJob<Data, Result>): void {
    if (held.phase === 'running') held.controller.abort(jobCancelled(held.lease));
  }

  /** The job is no longer ours. One whose run has ended waits for the answer to its report instead. */
  #lose(held: HeldJob<Data, Result>, error: EchoMQError): void {
    if (held.phase === 'reported' || held.phase === 'over') return;
    this.#held.forget(held);
    held.controller.abort(error);
    if (held.job !== undefined) this.#setup.tell('leaseLost', held.job, error);
    this.#update();
  }

  #giveBack(held: HeldJob<Data, Result>): void {
    this.#reports.report(held, released({ toFront: true }));
  }

  #down(error: EchoMQError | undefined): void {
    this.#streamChanged();
    if (this.#leaving) this.#loop.stop();
    this.#setup.tell('disconnected', error);
    this.#update();
  }

  #failed(error: EchoMQError): void {
    this.#moving = false;
    this.#setup.tell('disconnected', error);
    this.#setup.tell('error', error);
  }

  /** What belonged to the old stream is gone: its heartbeats, and the deliveries that nobody had begun. */
  #streamChanged(): void {
    this.#moving = false;
    this.#heartbeat.stop();
    this.#watch.forgetSent();
    this.#directives.streamChanged();
    for (const held of this.#held.inPhase('buffered')) this.#held.forget(held);
    for (const held of this.#held.inPhase('running')) held.unsentProgress = held.lastProgress;
  }

  #newSession(): void {
    this.#sessionId = randomUUID();
    this.#epoch = 0;
    this.#reports.restart();
  }

  /** After any change: what may start starts, the window follows, and who waits looks again. */
  #update(): void {
    this.#begin();
    const { live } = this.#loop;
    const window = this.#window();
    if (live !== undefined && window !== this.#sentWindow) {
      this.#sentWindow = window;
      for (const queue of this.#setup.queues) {
        const value = { queue, maxInFlight: window, maxInFlightBytes: undefined };
        live.send({ $case: 'window', value });
      }
    }
    if (this.#held.size === 0 && this.#directives.drains) this.#sendDrain('as the server asked');
    this.#changed.tell();
  }

  /** Handlers of lost jobs take places that the server thinks free. */
  #window(): number {
    if (!this.#taking || this.#directives.quiet) return 0;
    const lost = this.#runs.count - this.#held.count('running');
    return Math.max(0, this.#concurrency - lost);
  }

  #load(): pb.WorkerLoad {
    return { running: this.#runs.count, capacity: this.#concurrency };
  }

  #sendDrain(reason: string): void {
    const { live } = this.#loop;
    live?.send({ $case: 'drain', value: { reason, releaseUnstarted: true } });
    live?.end();
  }

  /** Nothing that a message does may harm the stream that brought it. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#setup.tell('error', error instanceof Error ? error : new Error(String(error)));
    }
  }
}
