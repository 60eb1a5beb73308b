import { ContractBroken, type EchoMQError, type RenewalOutcome } from '@echomq/core';
import {
  msToDuration,
  type WorkerDirectiveAction,
  type WorkOpen,
  type WorkReport,
  type WorkReportAck,
  type WorkRequest,
} from '@echomq/proto/messages';
import type { Delivery } from '../dispatch/consumer.js';
import type { LeaseOwner } from '../leases/lease-keeper.js';
import type { SessionReceipts } from '../receipts/session-receipts.js';
import type { WorkLink } from '../service.js';
import type { WorkerDeps } from '../services/worker/worker-deps.js';
import { checkWorkerTexts } from '../validation/worker-texts.js';
import type { BookedSession } from '../workers/worker-book.js';
import type { WorkerNote } from '../workers/worker-note.js';
import { type Adoption, adoptHeld } from './adoption.js';
import { isLast, type SessionEffect } from './effects.js';
import { greeting, statusOfQueue } from './greeting.js';
import { Intake } from './intake.js';
import { Output } from './output.js';
import { endOf } from './report-desk.js';
import type { ReportMemory } from './report-memory.js';
import { carryReport } from './report-runner.js';
import { Session } from './session.js';
import { sessionNote } from './session-note.js';
import { strangerOf } from './stranger.js';
import { StreamLeases } from './stream-leases.js';
import { StreamNotes } from './stream-notes.js';
import { StreamRecalls } from './stream-recalls.js';
import { Subscribers } from './subscribers.js';
import { type SessionSpans, sessionSpans, subscriptionTerms } from './terms.js';
import { Windows } from './windows.js';

/** Runs a session over a link: carries its effects to the store, the dispatch, the lease keeper and the worker. */
export class WorkStream implements LeaseOwner, BookedSession {
  /** Settles when the stream is over. */
  readonly over: Promise<void>;
  /** On its way to the store. */
  readonly intake = new Intake();
  readonly #session: Session;
  readonly #windows: Windows;
  readonly #spans: SessionSpans;
  readonly #key: string;
  readonly #memory: ReportMemory;
  readonly #receipts: SessionReceipts;
  readonly #before: WorkStream | undefined;
  readonly #subscribers: Subscribers;
  readonly #output: Output;
  readonly #leases: StreamLeases;
  readonly #notes: StreamNotes;
  readonly #recalls: StreamRecalls;
  /** Of its session, which held nothing before: its reports can have gone nowhere else. */
  readonly #isFirst: boolean;
  #ended = false;
  #timer: unknown;
  #stopWritable: (() => void) | undefined;
  #settle: (error?: EchoMQError) => void = () => undefined;

  /** @throws InvalidRequest for a bad open, EchoMQError SESSION_SUPERSEDED. */
  constructor(
    private readonly link: WorkLink,
    private readonly open: WorkOpen,
    private readonly deps: WorkerDeps,
    principal = '',
  ) {
    checkWorkerTexts(open.worker, 'open.worker');
    this.#isFirst = open.epoch === 0 && open.ackedThrough === 0 && open.held.length === 0;
    const terms = subscriptionTerms(open, deps.names, deps.limits);
    this.#spans = sessionSpans(terms, deps.limits);
    this.#windows = new Windows(open.globalMaxInFlight);
    if (open.load && open.load.capacity > 0) this.#windows.limitTo(open.load.capacity);
    this.over = new Promise((resolve, reject) => {
      this.#settle = (error) => (error ? reject(error) : resolve());
    });
    this.over.catch(() => undefined);
    this.#output = new Output({
      link,
      maxBytes: deps.limits.maxResponseBytes,
      features: open.features,
      answersToCome: () => this.#session.reporting,
      onSent: () => this.#session.sent(this.#now()),
      onUnsendable: (message, error) => this.#unsendable(message, error),
    });
    this.#subscribers = new Subscribers(
      {
        windows: this.#windows,
        takesJobs: () => !this.#ended && this.#session.takesJobs && link.writable,
        unbuffered: () => this.#session.unbuffered(),
        spare: (queueKey) => this.#session.spare(queueKey, this.#now()),
        deliver: (queueKey, delivery) => this.#deliver(queueKey, delivery),
        recall: (queueKey, count) => this.#recalls.ask(queueKey, count),
      },
      deps,
    );
    this.#leases = new StreamLeases(this, this.#subscribers, deps);
    this.#notes = new StreamNotes(deps, (signal) => this.#perform(signal));
    this.#recalls = new StreamRecalls(deps.clock, this.#run.bind(this), () => this.#session);
    const caller = { principal, near: link.near };
    const { key, memory, receipts, before } = deps.sessions.claim(open, this, caller);
    this.#key = key;
    this.#memory = memory;
    this.#receipts = receipts;
    this.#before = before;
    memory.acknowledge(open.ackedThrough);
    const queueKey = (name: string) => deps.names.resolve(name, 'window.queue').keys.base;
    const [spans, windows] = [this.#spans, this.#windows];
    const statuses = () => [...this.#subscribers.values()].map(statusOfQueue);
    const stranger = (lease: WorkReport['lease']) => strangerOf(deps.names, lease, spans.lockMs);
    const mayWait = (key: string) => this.#subscribers.mayWait(key);
    const parts = { spans, windows, memory, queueKey, stranger, mayWait, statuses };
    this.#session = new Session(parts, deps.clock.now());
    for (const each of terms) this.#subscribers.subscribe(each);
  }

  /** Adopts what the worker holds, greets it, and begins to deliver. */
  async start(): Promise<void> {
    const { lockMs } = this.#spans;
    const adoption = await adoptHeld(this.open, lockMs, this.deps);
    if (this.#ended) return;
    for (const { queue, jobId, token } of adoption.leases) {
      const lease = { queue: queue.name, queueKey: queue.keys.base, jobId, token, lockMs };
      this.#run(this.#session.adopt(lease, this.#now()));
    }
    if (!this.#before && !this.#isFirst) this.#learn(adoption);
    this.#before?.yieldTo(new Set(adoption.leases.map(({ token }) => token)));
    this.#output.greet(greeting(this.open, this.#spans, adoption, this.deps));
    for (const token of adoption.cancelled) this.cancelRequested(token);
    this.#stopWritable = this.link.onWritable(() => this.#demand());
    this.deps.workers.enter(this.#receipts.session, this);
    this.#tickLater();
    this.#demand();
  }

  /** A message of the worker. */
  receive(request: WorkRequest): void {
    if (this.#ended) return;
    this.#run(this.#session.receive(request, this.#now()));
  }

  /** The worker closed its side, or the link broke. */
  inputEnded(broken: boolean): void {
    if (broken) this.end();
    else if (!this.#ended) this.#run(this.#session.inputEnded());
  }

  /** Ends the stream: with an error, or because the link broke, or after a drain. */
  end(error?: EchoMQError, { drained = false }: { readonly drained?: boolean } = {}): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#output.close();
    if (drained) void this.deps.workers.leave(this.#receipts.session, this);
    else this.deps.workers.drop(this.#receipts.session, this);
    this.deps.clock.clearTimeout(this.#timer);
    this.#stopWritable?.();
    this.#subscribers.close();
    this.#recalls.close();
    this.#run(this.#session.end(this.#now(), error?.reason === 'WORKER_UNRESPONSIVE'));
    this.deps.sessions.ended(this.#key, this, this.#spans.resumeMs);
    this.#settle(error);
  }

  /** A newer stream of the session goes on with these leases. */
  yieldTo(adopted: ReadonlySet<string>): void {
    this.#run(this.#session.yieldTo(adopted));
  }

  /** Nobody came back in time. */
  expire(): void {
    this.#run(this.#session.expire());
  }

  /** Takes no more jobs and asks the worker to leave in so many ms. */
  sendAway(action: WorkerDirectiveAction, afterMs: number, reason = 'the server leaves'): void {
    this.#session.refuse();
    this.#subscribers.leaveLines();
    const value = { action, after: msToDuration(Math.round(afterMs)), reason };
    this.#output.send({ $case: 'directive', value });
  }

  /** A report that an earlier stream had in hand has its answer; before the greeting nobody has asked for it yet. */
  answeredElsewhere(ack: WorkReportAck): void {
    if (this.#output.greeted && !this.#ended) this.#run(this.#session.answeredElsewhere(ack));
  }

  vouches(token: string, now: number): boolean {
    return this.#session.vouches(token, now);
  }

  cancelRequested(token: string): void {
    this.#run(this.#session.cancelRequested(token));
  }

  lost(token: string, outcome: RenewalOutcome): void {
    this.#run(this.#session.lost(token, outcome, this.#now()));
  }

  note(): WorkerNote | undefined {
    return sessionNote(this.open, this.#session, this.#subscribers, this.#now());
  }

  #deliver(queueKey: string, delivery: Delivery): boolean {
    const effects = this.#session.deliver(queueKey, delivery, this.#now());
    if (effects) this.#run(effects);
    if (effects && delivery.buffered) this.#recalls.watch();
    return effects !== undefined;
  }

  #run(effects: readonly SessionEffect[]): void {
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: SessionEffect): void {
    switch (effect.kind) {
      case 'send':
        this.#output.send(effect.message);
        break;
      case 'deliver':
        this.#output.deliver(effect.job, effect.bytes);
        break;
      case 'answered':
        this.deps.sessions.current(this.#key)?.answeredElsewhere(effect.ack);
        break;
      case 'apply':
        this.intake.hold(effect.report, this.#apply(effect));
        break;
      case 'progress':
      case 'logs':
        this.intake.hold(effect.message, this.#notes.carry(effect));
        break;
      case 'keep':
        this.#leases.keep(effect.holding);
        break;
      case 'begun':
        for (const holding of effect.holdings) this.#leases.begun(holding);
        break;
      case 'drop':
        this.#leases.drop(effect.holding);
        break;
      case 'release':
        this.#leases.release(effect.holdings);
        break;
      case 'demand':
        this.#demand(effect.queueKey);
        break;
      case 'end':
        this.end(effect.error, { drained: effect.error === undefined });
    }
  }

  async #apply(effect: Extract<SessionEffect, { kind: 'apply' }>): Promise<void> {
    const { report, holding } = effect;
    const dispatch = this.#leases.dispatchOf(holding);
    const terms = effect.refill ? this.#subscribers.get(holding.queueKey)?.terms : undefined;
    const notes = this.#notes.of(holding.token);
    if (notes) await notes;
    const of = { through: this.#memory.acknowledged, lockMs: holding.lockMs, fresh: this.#isFirst };
    const receipt = this.#receipts.of(dispatch.queue, report, of);
    const to = { dispatch, terms, receipt };
    const { applied, delivery } = await carryReport(effect, to, this.deps);
    this.#receipts.answered(dispatch.queue, report, receipt, endOf(applied));
    const effects = this.#session.applied(report, applied, this.#now());
    // The next job takes the freed slot before anybody is asked for more.
    for (const each of effects) if (!isLast(each)) this.#perform(each);
    if (delivery && !this.#deliver(holding.queueKey, delivery)) void dispatch.putBack([delivery]);
    for (const each of effects) if (isLast(each)) this.#perform(each);
  }

  /** The session comes from another server, if it is not new: its receipts there are deleted here. */
  #learn({ leases }: Adoption): void {
    const subscribed = [...this.#subscribers.values()].map(({ dispatch }) => dispatch.queue);
    for (const queue of new Set([...subscribed, ...leases.map((lease) => lease.queue)])) {
      void this.#receipts.learn(this.deps.store, queue);
    }
  }

  #demand(queueKey?: string): void {
    if (!this.#ended) this.#subscribers.demand(queueKey);
  }

  #unsendable({ $case }: { readonly $case: string }, error: unknown): void {
    this.deps.logger.error('stream.unsendable', { case: $case, error: String(error) });
    this.end(new ContractBroken('a message could not be sent', error));
  }

  #tickLater(): void {
    const everyMs = Math.max(25, Math.min(this.#spans.acceptMs / 4, 1_000));
    this.#timer = this.deps.clock.setTimeout(() => {
      this.#tickLater();
      this.#run(this.#session.tick(this.#now()));
      this.#output.flush();
      void this.#receipts.tidy(this.deps.store, this.#memory.acknowledged);
    }, everyMs);
  }

  #now(): number {
    return this.deps.clock.now();
  }
}
