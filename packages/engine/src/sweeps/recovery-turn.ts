import type { QueueKeys, Store } from '@echomq/core';

/**
 * One turn of a queue while many jobs are recovered: the batch that a sweep has put in front, then as many of those that
 * wait behind it, so that a fresh job waits for one batch and not for all of them.
 */
export class RecoveryTurn {
  readonly #batch: ReadonlySet<string>;
  /** The last of the others whose turn it is. */
  #last: string | undefined;

  /** @param recovered what the sweep has put in front */
  constructor(recovered: readonly string[]) {
    this.#batch = new Set(recovered);
  }

  /** Whether the turn is over, so that the next batch may come. */
  async isOver(store: Store, { wait }: QueueKeys): Promise<boolean> {
    if (this.#batch.size === 0) return true;
    if (this.#last === undefined) {
      const next = await store.command('LINDEX', [wait, -1]);
      if (next === null) return true;
      if (this.#batch.has(String(next))) return false;
      const last =
        (await store.command('LINDEX', [wait, -this.#batch.size])) ??
        (await store.command('LINDEX', [wait, 0]));
      if (last === null) return true;
      this.#last = String(last);
    }
    // What is given back meanwhile stands in front of it; beyond twice the batch it is no longer looked for.
    const reach = 2 * this.#batch.size;
    const at = await store.command('LPOS', [wait, this.#last, 'RANK', -1, 'MAXLEN', reach]);
    return at === null;
  }
}
