import type { Clock } from '../ports.js';

/** A limited queue is looked at again after this at the latest, ms. */
const MAX_LIMITED_MS = 30_000;
const MAX_BACKOFF_MS = 10_000;

/** Why a queue is not fetched from for a while: its rate limit, or failures, between which the wait grows. */
export class FetchPause {
  #until = 0;
  #failures = 0;
  #timer: unknown;
  #closed = false;

  /**
   * @param onOver called when a pause is over.
   */
  constructor(
    private readonly clock: Clock,
    private readonly onOver: () => void,
  ) {}

  /** Whether a pause holds. */
  get holds(): boolean {
    return this.clock.now() < this.#until;
  }

  /** How long a rate limit still holds, ms; 0 when none does. */
  get limitedForMs(): number {
    return this.#failures > 0 ? 0 : Math.max(0, this.#until - this.clock.now());
  }

  /** The rate limit is exhausted for so many ms. */
  limited(ms: number): void {
    this.#pause(Math.min(ms, MAX_LIMITED_MS));
  }

  /** A fetch failed. */
  failed(): void {
    this.#failures++;
    const waitMs = Math.min(100 * 2 ** Math.min(this.#failures, 8), MAX_BACKOFF_MS);
    this.#pause(waitMs * (0.75 + Math.random() / 2));
  }

  /** A fetch was answered. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** The store is back: a pause for its failures is over. */
  storeIsBack(): void {
    if (this.#failures > 0) this.#until = 0;
  }

  /** The rate limit was changed: what was known of it no longer holds. */
  limitChanged(): void {
    if (this.#failures === 0) this.#until = 0;
  }

  /** Pauses no more and calls nobody back. */
  close(): void {
    this.#closed = true;
    this.clock.clearTimeout(this.#timer);
  }

  #pause(ms: number): void {
    if (this.#closed) return;
    this.#until = this.clock.now() + ms;
    this.clock.clearTimeout(this.#timer);
    this.#timer = this.clock.setTimeout(this.onOver, Math.ceil(ms) + 1);
  }
}
