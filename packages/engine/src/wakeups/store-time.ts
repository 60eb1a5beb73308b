import type { RedisClient } from '@echomq/core';
import type { Clock } from '../ports.js';

/** Questions of one sample: the answer that came fastest tells most. */
const PROBES = 5;
/** A sample that is surer than this is not improved on, ms. */
const SURE_MS = 0.5;
/** How much too early a timer may fire because nobody knows better, ms. */
const MAX_EARLY_MS = 5;

/** How far the store's clock is from this process's, so that timers for due jobs fire by the store's. */
export class StoreTime {
  #aheadMs = 0;
  #doubtMs = 0;

  constructor(
    private readonly redis: RedisClient,
    private readonly clock: Clock,
  ) {}

  /** This process's time for an instant of the store's clock, ms; in doubt too early, for then one can look again. */
  readonly local = (storeMs: number): number => {
    return storeMs - this.#aheadMs - Math.min(this.#doubtMs, MAX_EARLY_MS);
  };

  /** Asks the store for its time. A store that is away leaves what was known. */
  async sample(): Promise<void> {
    let best: { aheadMs: number; doubtMs: number } | undefined;
    try {
      for (let probe = 0; probe < PROBES && (best?.doubtMs ?? 1) > SURE_MS; probe++) {
        const found = await this.#probe();
        if (!best || found.doubtMs < best.doubtMs) best = found;
      }
    } catch {
      // The next sample comes with the next connection.
    }
    if (!best) return;
    this.#aheadMs = best.aheadMs;
    this.#doubtMs = best.doubtMs;
  }

  async #probe(): Promise<{ aheadMs: number; doubtMs: number }> {
    const sent = this.clock.now();
    const reply = await this.redis.send('TIME', []);
    // The store read its clock somewhere between the question and the answer.
    const doubtMs = (this.clock.now() - sent) / 2;
    if (!Array.isArray(reply)) throw new TypeError('TIME answered no array');
    const storeMs = Number(reply[0]) * 1_000 + Number(reply[1]) / 1_000;
    return { aheadMs: storeMs - (sent + doubtMs), doubtMs };
  }
}
