import { PeerVersions } from '../compat/peer-versions.js';
import type { Dispatcher } from '../dispatch/dispatcher.js';
import type { EngineDeps } from '../ports.js';
import { Expirations } from './expirations.js';
import { findActiveQueues } from './find-active-queues.js';
import { Promotions } from './promotions.js';
import { SchedulerRepairs } from './scheduler-repairs.js';
import { StalledSweeps, type SweepSettings } from './stalled-sweeps.js';

/** Queues that others left behind are searched for this often, ms. */
const SEARCH_MS = 60_000;

/** What is done for queues whether or not somebody asks: stalled jobs, due jobs, schedules, old finished ones, peers. */
export class Sweeps {
  readonly #stalled: StalledSweeps;
  readonly #promotions: Promotions;
  readonly #repairs: SchedulerRepairs;
  readonly #peers: PeerVersions;
  readonly #expirations: Expirations;
  #timer: unknown;
  #search: Promise<void> = Promise.resolve();
  #closed = false;
  #stopReady: (() => void) | undefined;

  constructor(
    private readonly deps: EngineDeps,
    private readonly dispatcher: Dispatcher,
    settings: SweepSettings,
  ) {
    this.#stalled = new StalledSweeps(deps, dispatcher, settings);
    this.#promotions = new Promotions(deps, dispatcher);
    this.#expirations = new Expirations(deps, dispatcher);
    this.#repairs = new SchedulerRepairs(deps, dispatcher);
    this.#peers = new PeerVersions(deps, dispatcher, settings.stalledIntervalMs);
  }

  start(): void {
    this.#stalled.start();
    this.#promotions.start();
    this.#repairs.start();
    this.#expirations.start();
    this.#peers.start();
    const { redis } = this.deps.store;
    this.#stopReady = redis.onReadyChange((ready) => {
      if (ready) this.#searchNow();
    });
    this.#searchNow();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopReady?.();
    this.deps.clock.clearTimeout(this.#timer);
    this.#promotions.close();
    const all = [this.#stalled, this.#repairs, this.#peers, this.#expirations];
    const ends = all.map((each) => each.close());
    await Promise.all([...ends, this.#search]);
  }

  #searchNow(): void {
    this.deps.clock.clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = this.deps.clock.setTimeout(() => this.#searchNow(), SEARCH_MS);
    if (!this.deps.store.redis.ready) return;
    this.#search = this.#search.then(() => this.#find());
  }

  async #find(): Promise<void> {
    try {
      for await (const queue of findActiveQueues(this.deps, () => this.#closed)) {
        this.#stalled.add(this.dispatcher.laneOf(queue));
      }
    } catch (error) {
      this.deps.logger.warn('sweep.searchFailed', { error: String(error) });
    }
  }
}
