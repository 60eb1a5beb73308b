import type { RedisClient } from '@echomq/core';
import type { EngineLogger } from '../ports.js';

/** How long a key that is no marker is left out of the wait, ms. Its queue is looked at by polls meanwhile. */
const LEFT_OUT_MS = 30_000;

/**
 * Markers that are none: something else stands under their name. BZPOPMIN fails on the first such key, so that one
 * broken queue would take the wake-ups of all; it is left out instead, and tried again now and then.
 */
export class BadMarkers {
  readonly #until = new Map<string, number>();

  constructor(
    private readonly ports: { readonly redis: RedisClient; readonly logger: EngineLogger },
  ) {}

  /** Those of the keys that can be waited for. */
  without(keys: readonly string[]): readonly string[] {
    if (this.#until.size === 0) return keys;
    const now = performance.now();
    for (const [key, until] of this.#until) if (until <= now) this.#until.delete(key);
    return keys.filter((key) => !this.#until.has(key));
  }

  /** After a wait that failed: leaves out what can never be waited for. True when there was such a key. */
  async find(keys: readonly string[], error: unknown): Promise<boolean> {
    if (!String(error).includes('WRONGTYPE')) return false;
    const types = await Promise.all(keys.map((key) => this.#typeOf(key)));
    const bad = keys.filter((_, at) => types[at] !== 'zset' && types[at] !== 'none');
    for (const key of bad) {
      this.#until.set(key, performance.now() + LEFT_OUT_MS);
      this.ports.logger.warn('marker.unusable', { key, type: types[keys.indexOf(key)] });
    }
    return bad.length > 0;
  }

  async #typeOf(key: string): Promise<string> {
    return String(await this.ports.redis.send('TYPE', [key]).catch(() => 'none'));
  }
}
