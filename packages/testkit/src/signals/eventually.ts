import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_LIMIT_MS } from './with-limit.js';

/**
 * Tries a check again and again until it does not throw: the last resort, where nothing gives a
 * signal (a state in Redis that another process writes).
 *
 * @param check throws, or rejects, while it is too early; `expect` inside it does so
 * @param limitMs after this long the last failure is thrown
 * @returns what the check gave when it passed
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  limitMs: number = DEFAULT_LIMIT_MS,
): Promise<T> {
  const limit = performance.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= limit) throw error;
    }
    await sleep(10);
  }
}
