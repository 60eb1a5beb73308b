import { type Signal, signal } from './signal.js';

/** Things that happen again and again, gathered in order. */
export interface Collected<T> {
  /** What has come so far. */
  readonly items: readonly T[];
  /** Takes the next one; bound, so that it can be handed on as a callback. */
  readonly push: (item: T) => void;
  /**
   * Waits until so many have come.
   *
   * @returns all that have come by then, at least `count`
   * @throws Error after `limitMs` (5,000), with what has come
   */
  waitFor(count: number, limitMs?: number): Promise<readonly T[]>;
}

/**
 * Gathers what a callback is given.
 *
 * @param what how a failing test names them, for example `events`
 */
export function collect<T>(what = 'items'): Collected<T> {
  const items: T[] = [];
  const waiting = new Set<{ count: number; enough: Signal<void> }>();
  return {
    items,
    push(item) {
      items.push(item);
      for (const wait of waiting) if (items.length >= wait.count) wait.enough.resolve();
    },
    async waitFor(count, limitMs) {
      if (items.length >= count) return items;
      const wait = { count, enough: signal(`${count} ${what}`) };
      waiting.add(wait);
      try {
        await wait.enough.wait(limitMs);
      } catch (error) {
        const came = items.length > 0 ? JSON.stringify(items) : 'none';
        throw new Error(`${(error as Error).message}; came: ${came}`);
      } finally {
        waiting.delete(wait);
      }
      return items;
    },
  };
}
