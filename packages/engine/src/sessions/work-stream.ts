import { ContractBroken, EchoMQError, type RenewalOutcome } from '@echomq/core';
import {
  JobSignalKind,
  msToDuration,
  SubscriptionState,
  type SubscriptionStatus,
  type WorkerDirectiveAction,
  type WorkOpen,
  type WorkRequest,
  type WorkResponse,
} from '@echomq/proto/messages';
import type { LeaseOwner } from '../leases/lease-keeper.js';
import type { WorkLink } from '../service.js';
import { applyOutcome } from '../services/worker/apply-outcome.js';
import { renewal, renewLeases } from '../services/worker/extend-locks.js';
import { appendLogs, updateProgress } from '../services/worker/held-job-writes.js';
import type { WorkerDeps } from '../services/worker/worker-deps.js';
import { leaseOf } from '../validation/lease.js';
import type { Holding, SessionEffect } from './effects.js';
import { Outbox } from './outbox.js';
import { Session } from './session.js';
import { jobSignal } from './session-messages.js';
import { Subscriber } from './subscriber.js';
import {
  type SessionSpans,
  type SubscriptionTerms,
  sessionSpans,
  subscriptionTerms,
} from './terms.js';
import { Windows } from './windows.js';

type Of<K extends SessionEffect['kind']> = Extract<SessionEffect, { kind: K }>;

/** Runs a session over a link: carries its effects to the store, the dispatch, the lease keeper and the worker. */
export class WorkStream implements LeaseOwner {
  /** Settles when the stream is over. */
  readonly over: Promise<void>;
  readonly #session: Session;
  readonly #windows: Windows;
  readonly #spans: SessionSpans;
  readonly #key: string;
  readonly #before: WorkStream | undefined;
  readonly #subscribers = new Map<string, Subscriber>();
  readonly #outbox: Outbox;
  #ended = false;
  #timer: unknown;
  #stopWritable: (() => void) | undefined;
  #settle: { resolve: () => void; reject: (error: unknown) => void };

  /** @throws InvalidRequest for a bad open, EchoMQError SESSION_SUPERSEDED. */
  constructor(
    private readonly link: WorkLink,
    private readonly open: WorkOpen,
    private readonly deps: WorkerDeps,
  ) {
    const terms = subscriptionTerms(open, deps.names, deps.limits);
    this.#spans = sessionSpans(terms, deps.limits);
    this.#windows = new Windows(open.globalMaxInFlight);
    if (open.load && open.load.capacity > 0) this.#windows.limitTo(open.load.capacity);
    const settle = { resolve: () => {}, reject: (_error: unknown) => {} };
    this.over = new Promise((resolve, reject) => Object.assign(settle, { resolve, reject }));
    this.over.catch(() => undefined);
    this.#settle = settle;
    this.#outbox = new Outbox(deps.limits.maxResponseBytes, (jobs) => {
      this.#send({ $case: 'delivery', value: { jobs } });
    });
    const { key, memory, before } = deps.sessions.claim(open.worker, open.epoch, this);
    this.#key = key;
    this.#before = before;
    memory.acknowledge(open.ackedThrough);
    this.#session = new Session(
      {
        spans: this.#spans,
        windows: this.#windows,
        memory,
        queueKey: (name) => deps.names.resolve(name, 'window.queue').keys.base,
        statuses: () => this.#statuses(),
      },
      deps.clock.now(),
    );
    for (const each of terms) this.#subscribe(each);
  }

  /** Adopts what the worker holds, greets it, and begins to deliver. */
  async start(): Promise<void> {
    const { adopted, rejected } = await this.#adopt();
    if (this.#ended) return;
    const { sessionId = '' } = this.open.worker ?? {};
    const { resumeMs, heartbeatMs, livenessMs, acceptMs, keepaliveMs } = this.#spans;
    const value = {
      sessionId,
      resumeTtl: msToDuration(resumeMs),
      heartbeatInterval: msToDuration(heartbeatMs),
      livenessTimeout: msToDuration(livenessMs),
      acceptTimeout: msToDuration(acceptMs),
      keepaliveInterval: msToDuration(keepaliveMs),
      serverInfo: this.deps.serverInfo(),
      adopted,
      rejected,
    };
    this.#send({ $case: 'opened', value });
    this.#stopWritable = this.link.onWritable(() => this.#demand());
    this.#tickLater();
    this.#demand();
  }

  /** A message of the worker. */
  receive(request: WorkRequest): void {
    if (!this.#ended) this.#run(this.#session.receive(request, this.#now()));
  }

  /** The worker closed its side, or the link broke. */
  inputEnded(broken: boolean): void {
    if (broken) this.end();
    else this.#run(this.#session.inputEnded());
  }

  /** Ends the stream: in good order, or with an error. */
  end(error?: EchoMQError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.deps.clock.clearTimeout(this.#timer);
    this.#stopWritable?.();
    for (const subscriber of this.#subscribers.values()) subscriber.dispatch.leave(subscriber);
    const silent = error?.reason === 'WORKER_UNRESPONSIVE';
    this.#run(this.#session.end(this.#now(), silent));
    this.deps.sessions.ended(this.#key, this, this.#spans.resumeMs);
    if (error) this.#settle.reject(error);
    else this.#settle.resolve();
  }

  /** Nobody came back in time. */
  expire(): void {
    this.#run(this.#session.expire());
  }

  /** Takes no more jobs and asks the worker to leave in so many ms. */
  sendAway(action: WorkerDirectiveAction, afterMs: number): void {
    this.#session.refuse();
    for (const subscriber of this.#subscribers.values()) subscriber.dispatch.leave(subscriber);
    const value = { action, after: msToDuration(Math.round(afterMs)), reason: 'the server leaves' };
    this.#send({ $case: 'directive', value });
  }

  vouches(token: string, now: number): boolean {
    return this.#session.vouches(token, now);
  }

  lost(token: string, outcome: RenewalOutcome): void {
    this.#run(this.#session.lost(token, outcome));
  }

  #subscribe({ queue, size, weight, fetch }: SubscriptionTerms): void {
    const key = queue.keys.base;
    this.#windows.subscribe(key, size, weight);
    const subscriber = new Subscriber(key, this.deps.dispatcher.of(queue), fetch, {
      windows: this.#windows,
      takesJobs: () => !this.#ended && this.#session.takesJobs && this.link.writable,
      deliver: (queueKey, delivery) => {
        const effects = this.#session.deliver(queueKey, delivery, this.#now());
        if (effects) this.#run(effects);
        return effects !== undefined;
      },
      turnMoved: () => {
        const turn = this.#windows.turn;
        if (turn !== undefined && turn !== key) this.#subscribers.get(turn)?.demand();
      },
    });
    this.#subscribers.set(key, subscriber);
  }

  async #adopt() {
    const { lockMs } = this.#spans;
    const leases = this.open.held.map((lease, index) => {
      return leaseOf(this.deps.names, lease, `open.held[${index}]`);
    });
    const outcomes = await renewLeases(leases, lockMs, this.deps);
    const answers = leases.map(({ token }, at) =>
      renewal(token, outcomes[at] ?? 'LOCK_LOST', lockMs),
    );
    const adopted = leases.filter((_lease, at) => outcomes[at] === 'EXTENDED');
    for (const { queue, jobId, token } of adopted) {
      const lease = { queue: queue.name, queueKey: queue.keys.base, jobId, token, lockMs };
      this.#run(this.#session.adopt(lease, this.#now()));
    }
    this.#before?.yieldTo(new Set(adopted.map(({ token }) => token)));
    return {
      adopted: answers.filter((_answer, at) => outcomes[at] === 'EXTENDED'),
      rejected: answers.filter((_answer, at) => outcomes[at] !== 'EXTENDED'),
    };
  }

  /** A newer stream of the session goes on with these leases. */
  yieldTo(adopted: ReadonlySet<string>): void {
    this.#run(this.#session.yieldTo(adopted));
  }

  #run(effects: readonly SessionEffect[]): void {
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: SessionEffect): void {
    switch (effect.kind) {
      case 'send':
        return this.#send(effect.message);
      case 'deliver':
        return this.#outbox.push(effect.job, effect.bytes);
      case 'apply':
        return void this.#apply(effect);
      case 'progress':
        return void this.#write(effect.message.lease, updateProgress(effect.message, this.deps));
      case 'logs': {
        const request = { ...effect.message, requestId: '' };
        return void this.#write(effect.message.lease, appendLogs(request, this.deps));
      }
      case 'keep':
        return this.#keep(effect.holding);
      case 'drop':
        return this.deps.keeper.remove(
          this.#dispatchOf(effect.holding).lane,
          effect.holding.token,
          this,
        );
      case 'release':
        return this.#release(effect.holdings);
      case 'demand':
        return this.#demand(effect.queueKey);
      case 'end':
        return this.end(effect.error);
    }
  }

  async #apply({ report, holding, refill }: Of<'apply'>): Promise<void> {
    const dispatch = this.#dispatchOf(holding);
    const subscriber = this.#subscribers.get(holding.queueKey);
    const next = refill && subscriber ? dispatch.worker(subscriber.terms) : undefined;
    const asked = dispatch.events;
    const { jobId, token, attemptsMade } = holding;
    const ending = {
      lane: dispatch.lane,
      jobId,
      token,
      item: report,
      path: '',
      ...(next ? { next } : {}),
      ...(attemptsMade === undefined ? {} : { attemptsMade }),
    };
    const ended = await applyOutcome(ending, this.deps).catch((error: unknown) => ({
      error: this.#known(error),
    }));
    const found = next && 'next' in ended && ended.next;
    const delivery = found ? dispatch.fetched(found, next, asked) : undefined;
    if (refill) this.#windows.end(holding.queueKey);
    const effects = this.#session.applied(report, ended);
    // The next job takes the freed slot before anybody else is asked for one.
    this.#run(effects.filter(({ kind }) => kind !== 'demand' && kind !== 'end'));
    const delivered = delivery && this.#session.deliver(holding.queueKey, delivery, this.#now());
    if (delivered) this.#run(delivered);
    else if (delivery) void dispatch.putBack([delivery]);
    this.#run(effects.filter(({ kind }) => kind === 'demand' || kind === 'end'));
    if (this.#ended) this.deps.sessions.current(this.#key)?.answeredElsewhere(report);
  }

  /** A report that an earlier stream had in hand has its answer. */
  answeredElsewhere(report: Parameters<Session['answeredElsewhere']>[0]): void {
    if (!this.#ended) this.#run(this.#session.answeredElsewhere(report));
  }

  async #write(lease: Of<'progress'>['message']['lease'], write: Promise<unknown>): Promise<void> {
    try {
      await write;
    } catch (error) {
      if (this.#ended) return;
      const { reason, message } = this.#known(error);
      const kind =
        reason === 'JOB_NOT_FOUND'
          ? JobSignalKind.REMOVED
          : reason === 'LOCK_LOST' || reason === 'LOCK_NOT_OWNED'
            ? JobSignalKind.LOCK_LOST
            : JobSignalKind.UNSPECIFIED;
      const { queue = '', jobId = '', leaseToken: token = '' } = lease ?? {};
      this.#perform(jobSignal({ queue, jobId, token }, kind, message));
    }
  }

  #keep({ queueKey, queue, jobId, token, lockMs }: Holding): void {
    const { lane } = this.#dispatchOf({ queueKey, queue });
    this.deps.keeper.add(lane, { jobId, token, lockMs, renewedAt: this.#now(), owner: this });
  }

  #release(holdings: readonly Holding[]): void {
    const queues = new Map<string, Holding[]>();
    for (const holding of holdings) {
      queues.set(holding.queueKey, [...(queues.get(holding.queueKey) ?? []), holding]);
    }
    for (const [, of] of queues) {
      const [first] = of;
      if (first) void this.#dispatchOf(first).putBack(of);
    }
  }

  #dispatchOf({ queueKey, queue }: Pick<Holding, 'queueKey' | 'queue'>) {
    return (
      this.#subscribers.get(queueKey)?.dispatch ??
      this.deps.dispatcher.of(this.deps.names.resolve(queue))
    );
  }

  #demand(queueKey?: string): void {
    if (this.#ended) return;
    if (queueKey !== undefined) return this.#subscribers.get(queueKey)?.demand();
    for (const subscriber of this.#subscribers.values()) subscriber.demand();
  }

  #send(message: NonNullable<WorkResponse['message']>): void {
    if (this.#ended) return;
    try {
      this.link.send({ message });
      this.#session.sent(this.#now());
    } catch (error) {
      this.deps.logger.error('stream.unsendable', { case: message.$case, error: String(error) });
      this.end(new ContractBroken('a message could not be sent', error));
    }
  }

  #tickLater(): void {
    const everyMs = Math.max(25, Math.min(this.#spans.acceptMs / 4, 1_000));
    this.#timer = this.deps.clock.setTimeout(() => {
      this.#tickLater();
      this.#run(this.#session.tick(this.#now()));
    }, everyMs);
  }

  #statuses(): SubscriptionStatus[] {
    return this.open.subscriptions.map(({ queue }) => {
      const key = this.deps.names.resolve(queue).keys.base;
      const limitedMs = this.#subscribers.get(key)?.dispatch.limitedForMs ?? 0;
      return {
        queue,
        state: limitedMs > 0 ? SubscriptionState.RATE_LIMITED : SubscriptionState.IDLE,
        retryAfter: limitedMs > 0 ? msToDuration(Math.ceil(limitedMs)) : undefined,
        backlog: 0,
      };
    });
  }

  #known(error: unknown): EchoMQError {
    if (error instanceof EchoMQError) return error;
    this.deps.logger.error('stream.unexpected', { error: String(error) });
    return new ContractBroken('an unexpected error', error);
  }

  #now(): number {
    return this.deps.clock.now();
  }
}
