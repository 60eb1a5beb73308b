import { Refusal } from './answer.js';

/** How often something may be done. */
export interface Rate {
  readonly perSecond: number;
  /** At once, after a rest. */
  readonly burst: number;
}

/** Names that are remembered; the oldest are forgotten, who then begin anew. */
const KNOWN = 10_000;

/** Bounds how often each of many may ask. */
export class RateBound {
  readonly #buckets = new Map<string, { left: number; at: number }>();

  /** @param now ms */
  constructor(
    private readonly rate: Rate,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Counts something in. @throws Refusal 429 when that is too much; it is not counted then */
  take(name: string, count = 1): void {
    const { perSecond, burst } = this.rate;
    const now = this.now();
    const { left, at } = this.#buckets.get(name) ?? { left: burst, at: now };
    const filled = Math.min(burst, left + ((now - at) / 1_000) * perSecond);
    this.#buckets.delete(name);
    if (this.#buckets.size >= KNOWN) {
      const [oldest = ''] = this.#buckets.keys();
      this.#buckets.delete(oldest);
    }
    const enough = filled >= count;
    this.#buckets.set(name, { left: enough ? filled - count : filled, at: now });
    if (enough) return;
    throw new Refusal(
      429,
      'RESOURCE_EXHAUSTED',
      'QUOTA_EXCEEDED',
      `more than ${perSecond} requests a second`,
    );
  }
}
