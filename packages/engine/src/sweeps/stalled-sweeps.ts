import type { Dispatcher } from '../dispatch/dispatcher.js';
import { logFailure } from '../dispatch/log-failure.js';
import type { QueueLane } from '../dispatch/queue-lane.js';
import type { EngineDeps } from '../ports.js';
import { RecoveryTurn } from './recovery-turn.js';

/** How the stalled sweeps go about it. */
export interface SweepSettings {
  /** Between two sweeps of a queue, ms. */
  readonly stalledIntervalMs: number;
  /** Stalls that a job survives. */
  readonly maxStalledCount: number;
}

interface Swept {
  readonly lane: QueueLane;
  dueAt: number;
  /** The turn of the last batch, while ownerless jobs are left over: the next one waits until it is over. */
  turn?: RecoveryTurn;
  busy: boolean;
}

/** Intervals for which a turn that nobody takes holds the next batch back. */
const MAX_POSTPONED = 10;
/** A tick that comes by so many ms too late tells that the process stood still. */
const LATE_MS = 300;
/** Queues that are looked at at one time. */
const MAX_BUSY = 8;

/** Gives jobs of silent workers back, queue by queue. */
export class StalledSweeps {
  readonly #queues = new Map<string, Swept>();
  readonly #running = new Set<Promise<void>>();
  #timer: unknown;
  #tickedAt: number | undefined;
  #closed = false;

  constructor(
    private readonly deps: EngineDeps,
    private readonly dispatcher: Dispatcher,
    private readonly settings: SweepSettings,
  ) {}

  /** Looks after this queue from now on. */
  add(lane: QueueLane): void {
    const { base } = lane.queue.keys;
    if (this.#queues.has(base)) return;
    this.#queues.set(base, { lane, dueAt: this.deps.clock.now(), busy: false });
  }

  start(): void {
    const everyMs = Math.max(20, Math.min(1_000, this.settings.stalledIntervalMs / 4));
    this.#timer = this.deps.clock.setTimeout(() => {
      this.start();
      if (!this.#slept(everyMs)) this.#tick();
    }, everyMs);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.deps.clock.clearTimeout(this.#timer);
    await Promise.all(this.#running);
  }

  /**
   * Whether this process stood still and has not heard yet what happened meanwhile: who has hung up gives back first
   * what was never begun, before the sweep takes it for stalled. Never twice in a row.
   */
  #slept(everyMs: number): boolean {
    const now = this.deps.clock.now();
    const slept = this.#tickedAt !== undefined && now - this.#tickedAt > everyMs + LATE_MS;
    this.#tickedAt = slept ? undefined : now;
    return slept;
  }

  #tick(): void {
    if (!this.deps.store.redis.ready) return;
    for (const dispatch of this.dispatcher.all()) this.add(dispatch.lane);
    const now = this.deps.clock.now();
    const due = [...this.#queues.values()].filter(
      ({ busy, dueAt, turn }) => !busy && (now >= dueAt || turn),
    );
    for (const swept of due) swept.busy = true;
    for (let one = 0; one < MAX_BUSY; one++) {
      const running = this.#lookAt(due).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /** Looks at queues, one after the other, until none is left. */
  async #lookAt(due: Swept[]): Promise<void> {
    for (let swept = due.pop(); swept; swept = due.pop()) {
      if (!this.#closed) await this.#look(swept);
      swept.busy = false;
    }
  }

  async #look(swept: Swept): Promise<void> {
    const { queue } = swept.lane;
    try {
      const now = this.deps.clock.now();
      // Fresh jobs wait for one batch at most: the next one waits for them, but not for ever.
      const patient = now < swept.dueAt + this.settings.stalledIntervalMs * MAX_POSTPONED;
      const { turn } = swept;
      if (patient && turn && !(await turn.isOver(this.deps.store, queue.keys))) return;
      await this.#sweep(swept, now < swept.dueAt);
    } catch (error) {
      logFailure(this.deps.logger, 'sweep.failed', error, { queue: queue.name });
      this.#postpone(swept);
    }
  }

  async #sweep(swept: Swept, force: boolean): Promise<void> {
    const { stalledIntervalMs, maxStalledCount } = this.settings;
    const { queue } = swept.lane;
    const { recovered, failed, unbegun, more } = await swept.lane.sweepStalled({
      maxStalledCount,
      stalledInterval: Math.max(1, Math.floor(stalledIntervalMs)),
      force,
      maxMetricsSize: this.deps.maxMetricsDataPoints,
    });
    this.#postpone(swept);
    delete swept.turn;
    if (more) swept.turn = new RecoveryTurn(recovered);
    if (recovered.length + failed.length === 0) return this.#dropUnused(swept);
    const stalled = recovered.length - unbegun;
    if (stalled + failed.length > 0) {
      this.deps.observer?.jobsStalled(queue.name, stalled, failed.length);
    }
    if (unbegun > 0) this.deps.observer?.jobsReturned(queue.name, unbegun);
    const facts = { queue: queue.name, recovered: stalled, failed: failed.length, unbegun, more };
    this.deps.logger.warn('sweep.stalled', facts);
    if (!this.#closed && recovered.length > 0) this.dispatcher.of(queue).wake();
  }

  /** A queue that is no longer served and has no active job needs no sweep. */
  async #dropUnused({ lane }: Swept): Promise<void> {
    const { queue } = lane;
    if (this.dispatcher.serves(queue)) return;
    const active = await this.deps.store.command('LLEN', [queue.keys.active]);
    if (Number(active) === 0) this.#queues.delete(queue.keys.base);
  }

  #postpone(swept: Swept): void {
    // Spread, so that the engines of a fleet take turns.
    const spread = 1 + Math.random() * 0.1;
    swept.dueAt = this.deps.clock.now() + this.settings.stalledIntervalMs * spread;
  }
}
