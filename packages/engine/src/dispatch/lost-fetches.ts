import type { ReplayGuard, Store } from '@echomq/core';
import type { Clock, EngineLogger } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import { REDELIVER_GRACE_MS } from '../receipts/redeliver-grace.js';
import type { Returned } from './give-back.js';

/** When the store is asked after a fetch without an answer, ms; the last time at an interval of its own. */
const LOOKS_MS: readonly number[] = [100, 1_000, 3_000];
/** Ids of `active` that are looked at in one go, the newest first, and how many goes. */
const PAGE = 1_000;
/** How long a found job is tried to be given back, ms: its lock was to live for an unknown time. */
const GIVE_BACK_MS = 30_000;
const MAX_PAGES = 10;

/**
 * Fetches whose answer a broken link has swallowed. A job may be active under their tokens and nobody knows of it: it
 * is searched for and given back, instead of stalling until its lock has run out.
 */
export class LostFetches {
  /** Looks that have found nothing, by token. */
  readonly #looks = new Map<string, number>();
  readonly #guards = new Map<string, ReplayGuard>();
  /** Those that are not looked for yet. */
  readonly #graces = new Set<unknown>();
  #timer: unknown;
  #closed = false;

  constructor(
    private readonly ports: {
      readonly store: Store;
      readonly queue: NamedQueue;
      readonly clock: Clock;
      readonly logger: EngineLogger;
      /** Gives a found job back. */
      readonly giveBack: (found: Returned) => void;
    },
  ) {}

  /** The fetch with this token may have taken a job. A guard: its request may come again, and is waited for first. */
  add(token: string, guard?: ReplayGuard): void {
    if (this.#closed) return;
    if (guard) {
      const grace = this.ports.clock.setTimeout(() => {
        this.#graces.delete(grace);
        this.#guards.set(token, guard);
        this.add(token);
      }, REDELIVER_GRACE_MS);
      this.#graces.add(grace);
      return;
    }
    this.#looks.set(token, 0);
    this.#later(LOOKS_MS[0] ?? 0);
  }

  close(): void {
    this.#closed = true;
    this.ports.clock.clearTimeout(this.#timer);
    for (const grace of this.#graces) this.ports.clock.clearTimeout(grace);
    this.#graces.clear();
    this.#looks.clear();
    this.#guards.clear();
  }

  #later(ms: number): void {
    if (this.#closed || this.#timer !== undefined || this.#looks.size === 0) return;
    this.#timer = this.ports.clock.setTimeout(() => {
      void this.#look().finally(() => {
        this.#timer = undefined;
        const fewest = Math.min(...this.#looks.values());
        this.#later(LOOKS_MS[fewest] ?? 1_000);
      });
    }, ms);
  }

  async #look(): Promise<void> {
    const tokens = [...this.#looks.keys()];
    try {
      await this.#search();
    } catch {
      // The store is still away: this look does not count.
      return;
    }
    for (const token of tokens) {
      const looks = (this.#looks.get(token) ?? LOOKS_MS.length) + 1;
      if (looks < LOOKS_MS.length) this.#looks.set(token, looks);
      else {
        this.#looks.delete(token);
        this.#guards.delete(token);
      }
    }
  }

  async #search(): Promise<void> {
    const { store, queue, logger, giveBack } = this.ports;
    for (let page = 0; page < MAX_PAGES && this.#looks.size > 0; page++) {
      const range = [page * PAGE, page * PAGE + PAGE - 1];
      const ids = await store.command('LRANGE', [queue.keys.active, ...range]);
      if (!Array.isArray(ids) || ids.length === 0) return;
      const locks = ids.map((id) => queue.keys.lock(String(id)));
      const owners = await store.command('MGET', locks);
      if (!Array.isArray(owners)) return;
      owners.forEach((owner, at) => {
        const token = String(owner);
        if (!this.#looks.delete(token)) return;
        const jobId = String(ids[at]);
        logger.warn('fetch.found', { queue: queue.name, jobId });
        const guard = this.#guards.get(token);
        this.#guards.delete(token);
        giveBack({ jobId, token, lockMs: GIVE_BACK_MS, ...(guard ? { guard } : {}) });
      });
      if (ids.length < PAGE) return;
    }
  }
}
