import { createHash, randomUUID } from 'node:crypto';
import {
  type DeliveredJob,
  durationToMs,
  type JobSignal,
  JobSignalKind,
  LeaseStatus,
  type WorkerDirective,
  WorkerDirectiveAction,
  type WorkOpen,
  type WorkOpened,
  type WorkResponse,
} from '@echomq/proto/messages';
import { LOST, OVER } from './fates.js';
import type { Fault } from './faults.js';
import { SUBSCRIPTION, WHO } from './introduction.js';
import { Link } from './link.js';
import { OwnClock } from './own-clock.js';
import { ReportBox } from './report-box.js';
import { RELEASE, type Run, runJob } from './run.js';

/** Where it works, and what it does wrong. */
export interface FaultyWorkerOptions {
  readonly address: string;
  readonly queue: string;
  readonly concurrency: number;
  readonly faults: ReadonlySet<Fault>;
}

/** A small worker that follows the protocol, but for the faults that it is given. It takes one job more than it runs. */
export class FaultyWorker {
  readonly #options: FaultyWorkerOptions;
  readonly #link: Link;
  readonly #runs = new Map<string, Run>();
  readonly #reports: ReportBox;
  #session: string = randomUUID();
  #epoch = 0;
  #seq = 0;
  #handlers = 0;
  #taking = true;
  /** Another stream is to follow: what is delivered meanwhile goes back by itself. */
  #moving = false;
  readonly #clock = new OwnClock();
  #draining = false;
  #heartbeatMs = 10_000;
  #beat: NodeJS.Timeout | undefined;
  #directive: NodeJS.Timeout | undefined;

  constructor(options: FaultyWorkerOptions) {
    this.#options = options;
    if (this.#has('fixed-session')) this.#session = 'fixed';
    if (this.#has('epoch-from-one')) this.#epoch = 1;
    this.#link = new Link(options.address, (fault) => this.#has(fault), {
      open: () => this.#open(),
      onOpened: (opened) => this.#opened(opened),
      onMessage: (message) => this.#message(message),
      onDown: (over) => this.#down(over),
    });
    this.#reports = new ReportBox((fault) => this.#has(fault), {
      send: (report) => this.#link.send({ $case: 'report', value: report }),
      onDone: ({ token }) => {
        this.#runs.delete(token);
        this.#leaveIfDone();
      },
    });
    this.#link.connect();
    if (!this.#has('trusts-for-ever')) this.#clock.watch(() => this.#lapsed());
  }

  /** Finishes what runs and leaves. */
  close(): void {
    this.#draining = true;
    this.#taking = this.#has('takes-more-until-the-end');
    for (const run of this.#in('buffered')) this.#reports.report(run, RELEASE);
    if (!this.#taking) this.#window(0);
    this.#leaveIfDone();
  }

  #has(fault: Fault): boolean {
    return this.#options.faults.has(fault);
  }

  #in(state: Run['state']): Run[] {
    return [...this.#runs.values()].filter((run) => run.state === state);
  }

  get #size(): number {
    return this.#options.concurrency + (this.#has('runs-all-it-gets') ? 3 : 1);
  }

  #open(): WorkOpen {
    const { queue, concurrency } = this.#options;
    const epoch = this.#epoch;
    if (!this.#has('same-epoch')) this.#epoch += 1;
    if (this.#has('new-session-each-stream')) this.#session = randomUUID();
    for (const run of this.#in('buffered')) this.#runs.delete(run.token);
    const held = this.#has('holds-nothing') ? [] : [...this.#runs.values()];
    return {
      worker: { ...WHO, sessionId: this.#session, pid: process.pid },
      subscriptions: [{ ...SUBSCRIPTION, queue, maxInFlight: this.#taking ? this.#size : 0 }],
      globalMaxInFlight: undefined,
      held: held.flatMap(({ job }) => job.lease ?? []),
      epoch,
      load: this.#has('no-capacity')
        ? undefined
        : { running: this.#handlers, capacity: concurrency },
      features: [],
      ackedThrough: this.#reports.ackedThrough,
    };
  }

  #opened({ heartbeatInterval, rejected }: WorkOpened): void {
    this.#moving = false;
    this.#heartbeatMs = (durationToMs(heartbeatInterval) ?? 10_000) / 2;
    this.#clock.opened(this.#heartbeatMs * 6);
    if (!this.#has('ignores-rejections')) {
      for (const { leaseToken } of rejected) this.#lose(this.#runs.get(leaseToken));
    }
    clearInterval(this.#beat);
    if (this.#has('rare-heartbeats')) this.#heartbeatMs *= 4;
    this.#beat = setInterval(() => {
      if (this.#runs.size > 0 || !this.#has('no-heartbeats-when-idle')) this.#heartbeat();
    }, this.#heartbeatMs);
    if (this.#has('begins-anew')) {
      for (const run of this.#in('running')) {
        run.controller.abort();
        run.controller = new AbortController();
        void this.#run(run);
      }
    }
    this.#reports.resend();
  }

  #down(over: boolean): void {
    clearInterval(this.#beat);
    clearTimeout(this.#directive);
    if (!over || this.#has('keeps-the-session')) return;
    this.#session = randomUUID();
    this.#epoch = 0;
    this.#reports.restart();
  }

  #message(message: NonNullable<WorkResponse['message']>): void {
    if (message.$case === 'heartbeatAck') this.#clock.answered(message.value.seq);
    if (message.$case === 'delivery') this.#delivered(message.value.jobs);
    else if (message.$case === 'reportAck') this.#reports.answered(message.value);
    else if (message.$case === 'directive') this.#directed(message.value);
    else if (message.$case === 'jobSignal' && !this.#has('ignores-signals')) {
      this.#signalled(message.value);
    } else if (message.$case === 'heartbeatAck' && !this.#has('ignores-heartbeat-acks')) {
      for (const { leaseToken, status } of message.value.leases) {
        if (LOST.has(status)) this.#lose(this.#runs.get(leaseToken));
        if (status === LeaseStatus.CANCEL_REQUESTED) this.#runs.get(leaseToken)?.controller.abort();
      }
    }
  }

  #delivered(jobs: readonly DeliveredJob[]): void {
    if (this.#moving) return;
    for (const job of jobs) {
      const inHand = [...this.#runs.values()].some(
        (run) => run.job.lease?.jobId === job.lease?.jobId,
      );
      if (inHand && this.#has('one-run-per-job')) continue;
      const token = job.lease?.leaseToken ?? '';
      const deliveredAt = performance.now();
      const controller = new AbortController();
      this.#runs.set(token, { job, token, deliveredAt, controller, state: 'buffered' });
    }
    this.#begin();
  }

  #begin(): void {
    const bound = this.#has('one-at-a-time') ? 1 : this.#options.concurrency;
    const free = this.#has('runs-all-it-gets') ? 100 : bound - this.#handlers;
    const first = this.#in('buffered').slice(0, Math.max(0, free));
    if (first.length === 0) return;
    for (const run of first) run.state = 'running';
    if (!this.#has('accepts-late')) this.#heartbeat();
    for (const run of first) void this.#run(run);
  }

  async #run(run: Run): Promise<void> {
    const { signal } = run.controller;
    this.#handlers += 1;
    const outcome = await runJob(run, this.#link, (fault) => this.#has(fault));
    this.#handlers -= 1;
    // Another run of the same job has taken its place.
    const current = run.controller.signal === signal;
    const listened = run.state === 'running' || this.#has('reports-lost-runs');
    if (outcome && current && listened) this.#reports.report(run, outcome);
    this.#begin();
    this.#leaveIfDone();
  }

  #signalled({ lease, kind }: JobSignal): void {
    const run = this.#has('knows-jobs-by-id')
      ? [...this.#runs.values()].find(({ job }) => job.lease?.jobId === lease?.jobId)
      : this.#runs.get(lease?.leaseToken ?? '');
    if (!run) return;
    const begun = run.state !== 'buffered' && !this.#has('gives-back-what-runs');
    if (kind === JobSignalKind.CANCEL_REQUESTED) run.controller.abort();
    else if (kind === JobSignalKind.RECALL && !begun) this.#reports.report(run, RELEASE);
    else if (OVER.has(kind)) this.#lose(run);
  }

  /** Nobody has confirmed what is held for the life of a lock. */
  #lapsed(): void {
    for (const run of [...this.#runs.values()]) {
      if (this.#clock.mayBeOver(run.deliveredAt)) this.#lose(run);
    }
  }

  #lose(run: Run | undefined): void {
    if (!run || run.state === 'reported') return;
    run.state = 'lost';
    this.#runs.delete(run.token);
    run.controller.abort();
  }

  #directed({ action, after }: WorkerDirective): void {
    if (this.#has('ignores-directives')) return;
    clearTimeout(this.#directive);
    const waitMs = this.#has('hurries') ? 0 : (durationToMs(after) ?? 0);
    this.#directive = setTimeout(() => this.#follow(action), waitMs);
  }

  #follow(action: WorkerDirectiveAction): void {
    const { UNSPECIFIED, QUIET, DRAIN, RECONNECT } = WorkerDirectiveAction;
    if (action === RECONNECT) {
      this.#moving = true;
      this.#link.move();
    } else if (action === QUIET && this.#has('leaves-when-quiet')) this.#link.leave();
    else if (action === QUIET || action === DRAIN) this.#take(false);
    else if (action === UNSPECIFIED) this.#take(true);
    if (action === DRAIN) this.#drainThenReturn();
  }

  #take(taking: boolean): void {
    this.#taking = taking;
    this.#window(taking ? this.#size : 0);
  }

  #drainThenReturn(): void {
    if (this.#runs.size > 0) {
      setTimeout(() => this.#drainThenReturn(), 50);
      return;
    }
    this.#taking = true;
    this.#link.send({ $case: 'drain', value: { reason: 'as asked', releaseUnstarted: true } });
    this.#link.leave(true);
  }

  #heartbeat(): void {
    this.#seq += 1;
    this.#clock.sent(this.#seq);
    const lateMs = this.#has('accepts-late') ? 1_500 : 0;
    const named = [...this.#runs.values()].filter(
      ({ deliveredAt }) => performance.now() - deliveredAt >= lateMs,
    );
    const jobs = (this.#has('names-nothing') ? [] : named).map(({ token, state }) => ({
      leaseToken: token,
      running: state !== 'buffered',
    }));
    const digest = createHash('sha256').update('wrong').digest();
    const wrong = this.#has('wrong-digest') && this.#seq > 3;
    this.#link.send({
      $case: 'heartbeat',
      value: {
        seq: this.#seq,
        holdings: wrong
          ? { $case: 'unchanged', value: { digest, count: jobs.length } }
          : { $case: 'held', value: { jobs } },
        ackedThrough: this.#reports.ackedThrough,
        load: { running: this.#handlers, capacity: this.#options.concurrency },
      },
    });
  }

  #window(maxInFlight: number): void {
    const { queue } = this.#options;
    const value = { queue, maxInFlight, maxInFlightBytes: undefined };
    this.#link.send({ $case: 'window', value });
  }

  #leaveIfDone(): void {
    if (!this.#draining) return;
    if (this.#has('leaves-before-answers')) process.exit(0);
    if (this.#runs.size > 0) return;
    clearInterval(this.#beat);
    if (!this.#has('no-drain')) {
      this.#link.send({ $case: 'drain', value: { reason: 'SIGTERM', releaseUnstarted: true } });
    }
    this.#link.leave();
    if (this.#has('exits-with-one')) process.exitCode = 1;
  }
}
