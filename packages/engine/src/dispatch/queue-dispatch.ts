import { promisify } from 'node:util';
import { type FetchOutcome, type ReplayGuard, StoreUnavailable } from '@echomq/core';
import type { NamedQueue } from '../queue-names.js';
import { guardOf } from '../receipts/guard.js';
import { type Consumer, type Delivery, fetchingWorker } from './consumer.js';
import type { DispatchPorts } from './dispatch-ports.js';
import { DueTimer } from './due-timer.js';
import { FetchLine } from './fetch-line.js';
import { FetchPause } from './fetch-pause.js';
import type { Returned } from './give-back.js';
import { logFailure } from './log-failure.js';
import { LookAhead } from './look-ahead.js';
import { LostFetches } from './lost-fetches.js';
import { QueueLane } from './queue-lane.js';
import { Returns } from './returns.js';
import { type Taker, Takings } from './takings.js';
import { UnderWay } from './under-way.js';

/** What is kept of the moment in which a fetch is sent. */
export interface Asked {
  /** How often something may have brought work until then. */
  readonly events: number;
  /** ms; a lock that the fetch brings is not older. */
  readonly at: number;
}

/** Resolves after all that this turn of the event loop still brings. */
const turn = promisify(setImmediate);

/** Fetches of one round. */
const MAX_WIDTH = 50;

/**
 * Hands the jobs of one queue to those who want them. A job is taken from Redis only for a consumer with a free slot;
 * when the queue has nothing, its marker is watched until somebody adds something.
 */
export class QueueDispatch {
  /** The way to the queue's transitions. */
  readonly lane: QueueLane;
  readonly #line = new FetchLine();
  readonly #lost: LostFetches;
  readonly #returns: Returns;
  readonly #takings: Takings;
  readonly #due: DueTimer;
  readonly #pause: FetchPause;
  readonly #lookAhead = new LookAhead();
  #width = 1;
  #fetching = false;
  /** Nothing was there at the last look, and nothing has happened since. */
  #idle = false;
  /** The last look found as many jobs running as may. */
  #maxed = false;
  /** Counts what may have brought work: an empty answer counts only if nothing happened since it was asked for. */
  #events = 0;
  readonly #underWay = new UnderWay();
  #pumping = false;
  #closed = false;
  #lastFetchAt = 0;
  /** When somebody asked for it last, ms. */
  usedAt = 0;
  readonly #users = new Set<object>();

  constructor(
    readonly queue: NamedQueue,
    private readonly ports: DispatchPorts,
  ) {
    const { store, clock, logger, observer } = ports.deps;
    this.lane = new QueueLane(store, queue, (token, guard) => this.#lost.add(token, guard));
    const [lane, underWay, done] = [this.lane, this.#underWay, () => this.wake()];
    this.#returns = new Returns({ lane, clock, logger, observer, underWay, done });
    const { beforeDelivery } = ports;
    const putBack = (job: Returned) => void this.putBack([job]);
    this.#takings = new Takings({ lane, deps: ports.deps, beforeDelivery, putBack });
    this.#lost = new LostFetches({ store, queue, clock, logger, giveBack: putBack });
    this.#pause = new FetchPause(clock, () => this.wake());
    this.#due = new DueTimer(ports.deps.clock, ports.localTime, () => this.#onDue());
  }

  /** Is used until it is let go, whether or not it has demand. */
  hold(user: object): void {
    this.#users.add(user);
  }

  /** See {@link hold}. */
  letGo(user: object): void {
    this.#users.delete(user);
  }

  /** Whether somebody uses it now. */
  get inUse(): boolean {
    return this.#users.size > 0 || this.#underWay.busy || this.hasDemand;
  }

  /** The consumer wants jobs. It stays in line until it wants none. */
  join(consumer: Consumer): void {
    if (this.#closed) return;
    this.#line.join(consumer);
    consumer.settle(this.#idle || !this.#mayFetch());
    if (this.#idle) this.#showIdle();
    else this.#pump();
  }

  /** The consumer takes what is there now. What was idle a moment ago is looked at anew. */
  look(consumer: Consumer): void {
    if (this.#closed || !this.#mayFetch()) {
      consumer.settle(true);
      return;
    }
    this.#line.join(consumer);
    this.wake();
  }

  /** The consumer is gone. */
  leave(consumer: Consumer): void {
    this.#line.leave(consumer);
    if (this.#idle) this.#showIdle();
  }

  /** Something may be there now. */
  wake(): void {
    if (this.#closed) return;
    this.#events++;
    this.#setIdle(false);
    this.#pump();
  }

  /**
   * A job for this queue has left for the store. Who waits for one need not wait for its marker: a fetch that leaves now
   * comes right behind it. Should the store refuse the job, that is a look at an empty queue.
   */
  expect(): void {
    if (!this.#idle || !this.#lookAhead.promising || !this.hasDemand || !this.#mayFetch()) return;
    this.#lookAhead.begin();
    this.wake();
  }

  /** The first delayed job is due then, by the store's clock. */
  noteDue(storeMs: number): void {
    this.#due.note(storeMs);
  }

  /** Whether somebody waits for a job of this queue. */
  get hasDemand(): boolean {
    return !this.#closed && this.#line.hasDemand();
  }

  /** When a fetch was last sent, ms. */
  get lastFetchAt(): number {
    return this.#lastFetchAt;
  }

  /** When a rate limit lets jobs through again, ms from now; 0 when none holds. */
  get limitedForMs(): number {
    return this.#pause.limitedForMs;
  }

  /** What the last job taken weighed on the wire, in bytes; `undefined` before the first. */
  get lastBytes(): number | undefined {
    return this.#takings.lastBytes;
  }

  /** Whether the last look found nothing. */
  get idle(): boolean {
    return this.#idle;
  }

  /** Whether somebody wants a job and the last look found that as many run as the global concurrency allows. */
  get maxed(): boolean {
    return this.#idle && this.#maxed && this.hasDemand;
  }

  /** A fetch is sent now: to be given back to {@link fetched}. */
  asking(): Asked {
    return { events: this.#events, at: this.ports.deps.clock.now() };
  }

  /**
   * Takes note of what a fetch found, be it one of its own or part of a finish.
   *
   * @param asked {@link asking} when the fetch was sent.
   * @param guard the answer that it comes with, where that can be asked for again.
   * @returns the delivery, or `undefined` when there is none; at once, unless something comes before it.
   */
  fetched(
    outcome: FetchOutcome,
    worker: Taker,
    asked: Asked,
    guard: ReplayGuard | undefined = worker.receipt && guardOf(worker.receipt),
  ): Delivery | undefined | Promise<Delivery | undefined> {
    this.#pause.succeeded();
    this.#lookAhead.fetched(outcome.kind === 'job');
    if (outcome.kind === 'job') {
      // Where one was there may be more; it begins before that is asked for.
      this.#setIdle(false);
      if (!this.#line.empty) this.#pump(setImmediate);
      return this.#takings.delivery(outcome, worker, asked.at, guard);
    }
    if (outcome.kind === 'replay' || outcome.kind === 'later') return undefined;
    this.#width = 1;
    if (outcome.kind === 'unbuffered') {
      // The queue has something.
      this.#setIdle(false);
      return undefined;
    }
    if (outcome.kind === 'limited') {
      this.#pause.limited(outcome.ttlMs);
      this.#setIdle(false);
    } else if (asked.events === this.#events) {
      this.#due.set(outcome.nextDueAt);
      this.#setIdle(true);
      this.#maxed = outcome.maxed ?? false;
    }
    return undefined;
  }

  /** Gives jobs back to the front, in this order, and lets others have them. */
  putBack(jobs: readonly Returned[]): Promise<void> {
    return this.#returns.now(jobs);
  }

  /** The same, for jobs whose caller is gone: its request may come again within a grace, and those stay. */
  putBackUnlessAskedFor(jobs: readonly Returned[]): Promise<void> {
    return this.#returns.unlessAskedFor(jobs);
  }

  /** Fetches nothing more. */
  close(): void {
    this.#closed = true;
    this.#lost.close();
    this.#returns.close();
    this.#due.set(undefined);
    this.#pause.close();
    this.ports.watch(this, false);
  }

  #pump(later: (run: () => void) => unknown = queueMicrotask): void {
    if (this.#pumping || this.#fetching || this.#closed) return;
    this.#pumping = true;
    // What arrives in one turn is served in one round.
    later(() => {
      this.#pumping = false;
      void this.#underWay.track(this.#rounds());
    });
  }

  /** Resolves when no fetch and no return of a job is under way. */
  settled(): Promise<void> {
    return this.#underWay.settled();
  }

  async #rounds(): Promise<void> {
    if (this.#fetching) return;
    this.#fetching = true;
    try {
      while (!this.#closed && !this.#idle && this.#mayFetch()) {
        const chosen = this.#line.begin(this.#width);
        if (chosen.length === 0) break;
        this.#lastFetchAt = this.ports.deps.clock.now();
        const full = await this.#round(chosen);
        if (full) {
          this.#width = Math.min(this.#width * 2, MAX_WIDTH);
          // What was found begins before more is asked for.
          await turn();
        } else {
          this.#line.settle(true);
        }
      }
    } finally {
      this.#fetching = false;
    }
    if (this.#idle) this.#showIdle();
  }

  /** One fetch for each of the chosen, all in one turn. True when each brought something. */
  async #round(chosen: readonly Consumer[]): Promise<boolean> {
    const rejected: Delivery[] = [];
    const found = await Promise.all(
      chosen.map(async (consumer) => {
        const { maxMetricsDataPoints } = this.ports.deps;
        const receipt = consumer.receipt?.();
        const buffered = consumer.buffered?.();
        const worker = fetchingWorker(consumer.terms, maxMetricsDataPoints, receipt, buffered);
        const asked = this.asking();
        try {
          const outcome = await this.lane.fetch(worker);
          const taken = this.fetched(outcome, worker, asked);
          const delivery = taken instanceof Promise ? await taken : taken;
          if (outcome.kind === 'replay') consumer.replayed?.();
          else if (outcome.kind === 'unbuffered') consumer.unbuffered?.();
          else if (!delivery) consumer.miss();
          if (!delivery) this.#line.missed(consumer);
          else if (consumer.take(delivery)) this.#line.served(consumer);
          else rejected.push(delivery);
          return outcome.kind !== 'idle' && outcome.kind !== 'limited';
        } catch (error) {
          this.#noteFailure(error);
          consumer.fail(error);
          this.#line.missed(consumer);
          return false;
        }
      }),
    );
    if (rejected.length > 0) void this.putBack(rejected);
    return found.every((job) => job);
  }

  #mayFetch(): boolean {
    return this.ports.redis.ready && !this.#pause.holds;
  }

  #onDue(): void {
    if (this.hasDemand) this.wake();
    else if (this.ports.redis.ready) void this.promote();
  }

  /** Moves due jobs to where they wait, for a queue from which nobody takes. */
  async promote(): Promise<void> {
    try {
      const { moved, nextDueAt } = await this.lane.promoteDue();
      if (this.#closed) return;
      this.#due.set(nextDueAt);
      if (moved > 0) this.wake();
    } catch (error) {
      this.#warn('promotion.failed', error);
    }
  }

  #noteFailure(error: unknown): void {
    if (!(error instanceof StoreUnavailable)) this.#warn('fetch.failed', error);
    this.#pause.failed();
    this.#setIdle(false);
  }

  /** The store is back: what it was asked in vain is asked again. */
  resume(): void {
    this.#pause.storeIsBack();
    this.wake();
  }

  /** The queue's gate or limit has changed: what they held back is asked for anew. */
  reconsider(): void {
    this.#pause.limitChanged();
    this.wake();
  }

  #setIdle(idle: boolean): void {
    if (this.#idle === idle) return;
    this.#idle = idle;
    if (!idle) {
      this.ports.watch(this, false);
      this.#line.settle(false);
    }
  }

  #showIdle(): void {
    this.ports.watch(this, this.hasDemand);
    if (this.maxed) this.ports.awaitSlot(this);
  }

  #warn(event: string, error: unknown): void {
    logFailure(this.ports.deps.logger, event, error, { queue: this.queue.name });
  }
}
