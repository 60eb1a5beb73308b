import type { RedisClient } from '@echomq/core';
import type { Clock } from '../ports.js';

/** How far the store's clock is from this process's, so that timers for due jobs fire by the store's. */
export class StoreTime {
  #aheadMs = 0;

  constructor(
    private readonly redis: RedisClient,
    private readonly clock: Clock,
  ) {}

  /** This process's time for an instant of the store's clock, ms. */
  readonly local = (storeMs: number): number => storeMs - this.#aheadMs;

  /** Asks the store for its time. A store that is away leaves what was known. */
  async sample(): Promise<void> {
    try {
      const sent = this.clock.now();
      const reply = await this.redis.send('TIME', []);
      const half = (this.clock.now() - sent) / 2;
      if (!Array.isArray(reply)) return;
      const storeMs = Number(reply[0]) * 1_000 + Number(reply[1]) / 1_000;
      this.#aheadMs = storeMs - (sent + half);
    } catch {
      // The next sample comes with the next connection.
    }
  }
}
