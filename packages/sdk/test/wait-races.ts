import { expect } from 'vitest';
import { JobNotFound } from '../src/index.js';
import { overBoth } from './places.js';

/** How far one wait may be from the others' end before it counts as hanging, ms. */
const HANGS_MS = 20_000;
/** Waits under way at one time. */
const AT_ONCE = 25;

/**
 * Adds jobs that end at once and are removed as they end, and waits for each: its result or that it is gone, and never
 * nothing.
 */
export function itNeverHangs(
  jobs: number,
  test: (title: string, run: () => Promise<void>) => void,
): void {
  overBoth('a wait for a result', (place) => {
    test(`never, over ${jobs} instant handlers whose jobs are removed as they end`, async () => {
      const queue = place.queue<number, number>();
      const ended = { results: 0, gone: 0 };
      place.worker(queue, ({ data }) => data * 2, { concurrency: 10 });
      const one = async (n: number) => {
        const job = await queue.add('x', n, { removeOnComplete: true, removeOnFail: true });
        try {
          expect(await job.waitUntilFinished(undefined, HANGS_MS)).toBe(n * 2);
          ended.results += 1;
        } catch (error) {
          if (!(error instanceof JobNotFound)) throw error;
          ended.gone += 1;
        }
      };
      for (let at = 0; at < jobs; at += AT_ONCE) {
        const part = Math.min(AT_ONCE, jobs - at);
        await Promise.all(Array.from({ length: part }, (_, n) => one(at + n)));
      }
      expect(ended.results + ended.gone).toBe(jobs);
      expect(await queue.getJobCountByTypes()).toBe(0);
    });
  });
}
