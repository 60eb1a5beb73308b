import { randomUUID } from 'node:crypto';
import * as pb from '@echomq/proto/messages';
import type { EchoMQError } from '../errors.js';
import { Directives } from './directives.js';
import type { HeldJob } from './held-job.js';
import { flushHeld } from './hold-port.js';
import { Intake } from './intake.js';
import { LeaseDesk } from './lease-desk.js';
import { workerClosed } from './lease-errors.js';
import { oncePerTurn } from './once-per-turn.js';
import { openMessage } from './open-message.js';
import { released } from './outcomes.js';
import { ReportDesk } from './report-desk.js';
import { Runs } from './runs.js';
import type { SessionSetup } from './session-setup.js';
import { StreamLoop } from './stream-loop.js';
import { FIRST_TERMS, type StreamTerms, termsOf } from './stream-terms.js';
import { Waiters } from './waiters.js';

/**
 * One worker's conversation with the server: it takes what is delivered, says what it holds, runs it, reports how it
 * ended, and keeps all that over broken streams. A job is in hand from its delivery to the answer to its report.
 */
export class WorkerSession<Data, Result> {
  readonly #setup: SessionSetup<Data, Result>;
  readonly #loop: StreamLoop;
  readonly #leases: LeaseDesk<Data, Result>;
  readonly #reports: ReportDesk<Data, Result>;
  readonly #runs: Runs<Data, Result>;
  readonly #intake: Intake<Data, Result>;
  readonly #directives: Directives;
  readonly #changed = new Waiters();
  #terms: StreamTerms = FIRST_TERMS;
  #sessionId = randomUUID();
  #epoch = 0;
  #leaving = false;
  #worked = false;
  readonly #toBegin = () => this.#guarded(() => this.#begin());
  /** Once for all that a turn brings: what then begins shares a heartbeat, and a message with what is reported after. */
  readonly #updateSoon = oncePerTurn(() => this.#guarded(() => this.#update()));

  constructor(setup: SessionSetup<Data, Result>, concurrency: number) {
    this.#setup = setup;
    const live = () => this.#loop.live;
    this.#loop = new StreamLoop(setup.connection.transport, {
      openMessage: () => this.#openMessage(),
      onOpened: (opened) => this.#opened(opened),
      onMessage: (message) => this.#guarded(() => this.#message(message)),
      onDown: (error) => this.#down(error),
      onFailed: (error) => this.#failed(error),
      onSessionOver: () => this.#newSession(),
    });
    this.#leases = new LeaseDesk({
      live,
      terms: () => this.#terms,
      ackedThrough: () => this.#reports.ackedThrough,
      load: () => this.#intake.load,
      extend: (request, timeoutMs) =>
        setup.connection.transport.unary('worker', 'extendLocks', request, { timeoutMs }),
      onLost: (held, error) => this.#lost(held, error),
      onRecall: (held) => this.#giveBack(held),
    });
    this.#directives = new Directives({
      live,
      onMove: () => this.#loop.connect({ fresh: true }),
      onChange: () => this.#update(),
    });
    this.#reports = new ReportDesk({
      onReported: (held) => this.#leases.held.turn(held, 'reported'),
      send: (report) => live()?.report(report),
      onStored: (held, end, result) => {
        this.#loop.noteUse();
        this.#leases.held.forget(held);
        this.#runs.stored(held, end, result);
        this.#updateSoon();
      },
      onLost: (held, error) => {
        held.settled?.(error);
        this.#leases.held.forget(held);
        this.#lost(held, error);
      },
      onGivenUp: (held, error) => {
        held.settled?.(error);
        this.#leases.held.forget(held);
        setup.tell('error', error);
        this.#update();
      },
    });
    this.#runs = new Runs(setup, {
      live,
      whenUp: () => this.#changed.next(),
      maxResultBytes: () => this.#terms.maxResultBytes,
      onEnd: (held, end) => {
        this.#updateSoon();
        if (held.phase !== 'running') return;
        this.#intake.ending(held, end);
        this.#reports.report(held, end);
      },
    });
    const parts = {
      queues: setup.queues,
      near: setup.connection.transport.near ?? false,
      ...{ leases: this.#leases, runs: this.#runs, live },
      quiet: () => this.#directives.quiet,
      giveBack: (held: HeldJob<Data, Result>) => this.#giveBack(held),
    };
    this.#intake = new Intake(parts, concurrency);
  }

  /** Whether a stream is up. */
  get up(): boolean {
    return this.#loop.live !== undefined;
  }

  /** Whether nothing will be answered any more. */
  get over(): boolean {
    return this.#loop.over;
  }

  /** Life of the locks, in ms. */
  get lockMs(): number {
    return this.#terms.lockMs;
  }

  /** Handlers that have not come to their end, also those whose jobs are lost. */
  get handlers(): number {
    return this.#runs.count;
  }

  /** Jobs in hand. */
  get held(): number {
    return this.#leases.held.size;
  }

  /** How long the queue is held where a RateLimitError names no time, in ms. */
  set rateLimitMs(ms: number) {
    this.#runs.rateLimitMs = ms;
  }

  /** Opens the stream. */
  start(): void {
    this.#loop.connect();
  }

  /** False: takes no more jobs, and gives back what has not begun. */
  take(taking: boolean): void {
    this.#intake.taking = taking;
    this.#update();
  }

  /** Changes how many handlers may run at once. */
  resize(concurrency: number): void {
    this.#intake.concurrency = concurrency;
    this.#leases.say();
    // The bound over all queues stands in the first message of a stream.
    if (this.up && this.#setup.queues.length > 1) this.#loop.connect();
    this.#update();
  }

  /** Resolves when `done` is true: asked after each change. To false if that does not come within `limitMs`. */
  until(done: () => boolean, limitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    return this.#changed.until(done, limitMs);
  }

  /** Gives all jobs back, no attempt counted, and tells their handlers. */
  giveBackAll(): void {
    for (const held of this.#leases.held.inPhase('running').reverse()) {
      this.#giveBack(held);
      held.controller.abort(workerClosed(held.lease));
    }
    this.#update();
  }

  /** Ends the stream in good order, if there is one, and stops. */
  async leave(limitMs: number): Promise<void> {
    this.#leaving = true;
    this.#drain('the worker closes');
    await this.until(() => !this.up, limitMs);
    this.#loop.stop();
    this.#leases.stop();
    this.#reports.stop();
    this.#directives.stop();
    this.#changed.tell();
  }

  #openMessage(): pb.WorkOpen {
    this.#leases.opening();
    const maxInFlight = this.#intake.opening();
    const epoch = this.#epoch;
    this.#epoch += 1;
    return openMessage(this.#setup, {
      ...{ sessionId: this.#sessionId, epoch, maxInFlight, load: this.#intake.load },
      held: this.#leases.held.leases(),
      ackedThrough: this.#reports.ackedThrough,
    });
  }

  #opened(opened: pb.WorkOpened): number {
    this.#terms = termsOf(opened, this.#setup.lockMs);
    this.#streamChanged();
    this.#leases.opened(opened);
    const { live } = this.#loop;
    for (const held of this.#leases.held.inPhase('running')) if (live) flushHeld(held, live);
    this.#reports.resend();
    this.#update();
    this.#setup.tell('ready');
    return this.#terms.silenceMs;
  }

  /** A newer server may say what this version does not know. */
  #message({ message }: pb.WorkResponse): void {
    if (message?.$case === 'delivery') this.#intake.delivered(message.value.jobs, this.#toBegin);
    else if (message?.$case === 'reportAck') this.#reports.answered(message.value);
    else if (message?.$case === 'reportAcks') this.#answered(message.value);
    else if (message?.$case === 'heartbeatAck') this.#leases.answered(message.value);
    else if (message?.$case === 'jobSignal') this.#leases.signalled(message.value);
    else if (message?.$case === 'directive') this.#directives.take(message.value);
    else if (message?.$case === 'keepalive') this.#keptAlive(message.value);
  }

  /** Each as if it had come alone: what a listener throws at one is none of the next one's. */
  #answered({ acks, delivery, heartbeatAcks }: pb.WorkReportAcks): void {
    for (const ack of acks) this.#guarded(() => this.#reports.answered(ack));
    if (delivery) this.#guarded(() => this.#intake.delivered(delivery.jobs, this.#toBegin));
    for (const ack of heartbeatAcks) this.#guarded(() => this.#leases.answered(ack));
  }

  #begin(): void {
    if (this.#intake.begin()) this.#worked = true;
  }

  #keptAlive({ queues }: pb.WorkKeepalive): void {
    const idle = queues.every(({ state }) => state === pb.SubscriptionState.IDLE);
    if (!idle || !this.#worked || this.held > 0) return;
    this.#worked = false;
    this.#setup.tell('drained');
  }

  #lost(held: HeldJob<Data, Result>, error: EchoMQError): void {
    if (held.job !== undefined) this.#setup.tell('leaseLost', held.job, error);
    this.#update();
  }

  #giveBack(held: HeldJob<Data, Result>): void {
    this.#reports.report(held, released({ toFront: true }));
  }

  #down(error: EchoMQError | undefined): void {
    this.#streamChanged();
    if (this.#leaving) this.#loop.stop();
    else this.#setup.tell('disconnected', error);
    this.#update();
  }

  #failed(error: EchoMQError): void {
    this.#intake.settled();
    this.#setup.tell('disconnected', error);
    this.#setup.tell('error', error);
    this.#update();
  }

  #streamChanged(): void {
    this.#intake.settled();
    this.#leases.streamChanged();
    this.#directives.streamChanged();
  }

  #newSession(): void {
    this.#sessionId = randomUUID();
    this.#epoch = 0;
    this.#reports.restart();
  }

  /** After any change: what may start starts, the window follows, and who waits looks again. */
  #update(): void {
    this.#begin();
    if (this.#reports.wornOut) {
      this.#newSession();
      this.#loop.renew();
    }
    this.#intake.tell();
    if (this.held === 0 && this.#directives.drains) this.#drain('as the server asked');
    this.#changed.tell();
  }

  #drain(reason: string): void {
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
