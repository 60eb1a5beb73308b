import type { EchoMQError } from '@echomq/core';
import { quotaExceeded, serverFull } from './refusals.js';

/** How many of something may be at one time: in all, and of one principal. */
export interface QuotaBounds {
  readonly all: number;
  readonly each: number;
}

/** Counts what principals have under way. */
export class Quota {
  readonly #counts = new Map<string, number>();
  #all = 0;

  constructor(
    private readonly what: 'streams' | 'waiters',
    private readonly bounds: QuotaBounds,
  ) {}

  /** What is under way. */
  get size(): number {
    return this.#all;
  }

  /**
   * Counts one in. Returns the way to count it out, which may be called more than once.
   *
   * @throws EchoMQError RESOURCE_EXHAUSTED when it is one too many; nothing is counted then
   */
  take(principal: string): () => void {
    const count = this.#counts.get(principal) ?? 0;
    const refused = this.#refusal(count);
    if (refused) throw refused;
    this.#counts.set(principal, count + 1);
    this.#all += 1;
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      this.#give(principal);
    };
  }

  #refusal(count: number): EchoMQError | undefined {
    const { all, each } = this.bounds;
    if (this.#all >= all) return serverFull(this.what, all);
    return count >= each ? quotaExceeded(this.what, each) : undefined;
  }

  #give(principal: string): void {
    this.#all -= 1;
    const count = this.#counts.get(principal) ?? 1;
    if (count > 1) this.#counts.set(principal, count - 1);
    else this.#counts.delete(principal);
  }
}
