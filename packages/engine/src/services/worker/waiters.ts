import type { Poll } from '../../dispatch/poll.js';

/** The polls that wait, so that their number is bounded and a shutdown reaches them all. */
export class Waiters {
  readonly #ends = new Map<Poll, () => void>();

  constructor(readonly max: number) {}

  get full(): boolean {
    return this.#ends.size >= this.max;
  }

  get size(): number {
    return this.#ends.size;
  }

  /** A poll waits; `end` makes it answer. */
  add(poll: Poll, end: () => void): void {
    this.#ends.set(poll, end);
  }

  remove(poll: Poll): void {
    this.#ends.delete(poll);
  }

  /** Lets all answer now. */
  endAll(): void {
    for (const end of [...this.#ends.values()]) end();
  }
}
