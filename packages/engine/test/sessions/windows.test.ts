import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Windows } from '../../src/sessions/windows.js';

describe('windows', () => {
  test('want what is free, fetches under way counted', () => {
    const windows = new Windows();
    windows.subscribe('a', { maxJobs: 3 });
    expect(windows.want('a')).toBe(3);
    windows.begin('a');
    windows.begin('a');
    expect(windows.want('a')).toBe(1);
    windows.end('a');
    windows.add('a', 10);
    windows.end('a');
    expect(windows.want('a')).toBe(2);
    expect(windows.want('unknown')).toBe(0);
  });

  test('0 takes nothing, 2^32 - 1 takes all', () => {
    const windows = new Windows();
    windows.subscribe('none', { maxJobs: 0 });
    windows.subscribe('all', { maxJobs: 0xffff_ffff });
    expect(windows.want('none')).toBe(0);
    expect(windows.want('all')).toBe(0xffff_ffff);
    windows.resize('none', { maxJobs: 2 });
    windows.resize('all', { maxJobs: 0 });
    expect([windows.want('none'), windows.want('all')]).toEqual([2, 0]);
    expect(windows.resize('other', { maxJobs: 1 })).toBe(false);
  });

  test('bytes: a job that would never fit fits an empty window, and then nothing else does', () => {
    const windows = new Windows();
    windows.subscribe('a', { maxJobs: 10, maxBytes: 1_000 });
    expect(windows.want('a')).toBe(1);
    expect(windows.fits('a', 5_000)).toBe(true);
    windows.add('a', 5_000);
    expect(windows.want('a')).toBe(0);
    windows.remove('a', 5_000);
    windows.add('a', 600);
    expect(windows.fits('a', 600)).toBe(false);
    // It is not fetched again before it fits.
    expect(windows.want('a')).toBe(0);
    windows.remove('a', 600);
    expect(windows.want('a')).toBe(1);
  });

  test('where queues contend for the slots of the stream, weights decide', () => {
    const windows = new Windows(1);
    windows.subscribe('light', { maxJobs: 100 }, 1);
    windows.subscribe('heavy', { maxJobs: 100 }, 3);
    const served: string[] = [];
    for (let i = 0; i < 40; i++) {
      const turn = windows.queues.filter((queue) => windows.want(queue) > 0);
      expect(turn).toHaveLength(1);
      const [queue] = turn as [string];
      served.push(queue);
      windows.begin(queue);
      windows.end(queue);
      windows.add(queue, 1);
      windows.remove(queue, 1);
    }
    expect(served.filter((queue) => queue === 'heavy')).toHaveLength(30);
    // Smooth: the light one never waits for more than three others.
    expect(served.join(' ')).not.toContain('heavy heavy heavy heavy');
  });

  test('a queue that has nothing leaves its turn to the others and keeps its demand', () => {
    const windows = new Windows(1);
    windows.subscribe('a', { maxJobs: 5 }, 1);
    windows.subscribe('b', { maxJobs: 5 }, 100);
    windows.setIdle('b', true);
    expect([windows.want('a'), windows.want('b')]).toEqual([1, 1]);
    windows.setIdle('b', false);
    expect([windows.want('a'), windows.want('b')]).toEqual([0, 1]);
  });

  test('the slot of a job that ends is refilled only where its queue may have one', () => {
    const windows = new Windows();
    windows.subscribe('a', { maxJobs: 1 });
    windows.add('a', 10);
    expect(windows.want('a')).toBe(0);
    expect(windows.refills('a', 10)).toBe(true);
    windows.resize('a', { maxJobs: 0 });
    expect(windows.refills('a', 10)).toBe(false);
    expect(windows.inFlight()).toBe(1);
  });

  test('beyond what the worker runs at once: what it may hold, within its windows and the bound', () => {
    const windows = new Windows(5);
    windows.subscribe('a', { maxJobs: 100 });
    windows.limitTo(2);
    expect([windows.want('a'), windows.want('a', 2), windows.slots('a')]).toEqual([2, 4, 2]);
    expect(windows.isBeyond()).toBe(false);
    for (let job = 0; job < 2; job++) windows.add('a', 1);
    expect([windows.want('a'), windows.want('a', 2), windows.slots('a')]).toEqual([0, 2, 0]);
    expect([windows.isBeyond(), windows.isBeyond(1)]).toEqual([true, false]);
    expect([windows.fits('a', 1), windows.fits('a', 1, true)]).toEqual([false, true]);
    expect([windows.refills('a', 1), windows.refills('a', 1, 2)]).toEqual([true, true]);
    for (let job = 0; job < 2; job++) windows.add('a', 1);
    expect([windows.want('a', 2), windows.fits('a', 1, true)]).toEqual([0, false]);
    expect([windows.refills('a', 1), windows.refills('a', 1, 2)]).toEqual([false, true]);
    expect([windows.want('a', 100), windows.isBeyond(1)]).toEqual([1, true]);
    windows.limitTo(undefined);
    expect([windows.isBeyond(), windows.fits('a', 1)]).toEqual([false, true]);
  });

  test('never more in flight than any window, whatever happens', () => {
    const queues = ['a', 'b', 'c'] as const;
    const queue = fc.constantFrom(...queues);
    const step = fc.oneof(
      fc.record({ do: fc.constant('fetch' as const), queue }),
      fc.record({ do: fc.constant('answer' as const), queue, bytes: fc.nat(400) }),
      fc.record({ do: fc.constant('miss' as const), queue }),
      fc.record({ do: fc.constant('finish' as const), queue }),
      fc.record({ do: fc.constant('refill' as const), queue, bytes: fc.nat(400) }),
      fc.record({ do: fc.constant('idle' as const), queue, idle: fc.boolean() }),
    );
    const sizes = fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4));
    fc.assert(
      fc.property(sizes, fc.nat(6), fc.array(step, { maxLength: 80 }), (max, total, steps) => {
        const windows = new Windows(total);
        queues.forEach((name, at) => {
          windows.subscribe(name, { maxJobs: max[at] ?? 0, maxBytes: 500 }, at + 1);
        });
        const pending = new Map<string, number>(queues.map((name) => [name, 0]));
        const held = new Map<string, number[]>(queues.map((name) => [name, []]));
        const of = (name: string) => held.get(name) as number[];
        const under = (name: string, by: number) => {
          pending.set(name, (pending.get(name) ?? 0) + by);
        };
        const arrive = (name: string, bytes: number) => {
          if (!windows.fits(name, bytes)) return;
          windows.add(name, bytes);
          of(name).push(bytes);
        };
        for (const each of steps) {
          const name = each.queue;
          if (each.do === 'fetch' && windows.want(name) > 0) {
            windows.begin(name);
            under(name, 1);
          } else if (each.do === 'answer' && (pending.get(name) ?? 0) > 0) {
            windows.end(name);
            under(name, -1);
            arrive(name, each.bytes);
          } else if (each.do === 'miss' && (pending.get(name) ?? 0) > 0) {
            windows.end(name);
            under(name, -1);
          } else if (each.do === 'finish' && of(name).length > 0) {
            windows.remove(name, of(name).pop() ?? 0);
          } else if (each.do === 'refill' && of(name).length > 0) {
            const ending = of(name)[0] ?? 0;
            const may = windows.refills(name, ending);
            of(name).shift();
            windows.remove(name, ending);
            if (may) arrive(name, each.bytes);
          } else if (each.do === 'idle') {
            windows.setIdle(name, each.idle);
          }
          const all = queues.reduce((sum, key) => sum + of(key).length, 0);
          expect(windows.inFlight()).toBe(all);
          expect(all).toBeLessThanOrEqual(total);
          queues.forEach((key, at) => {
            const jobs = of(key);
            const bytes = jobs.reduce((sum, size) => sum + size, 0);
            expect(jobs.length).toBeLessThanOrEqual(max[at] ?? 0);
            if (jobs.length > 1) expect(bytes).toBeLessThanOrEqual(500);
          });
        }
        // Once all has ended every free slot may be had again: nothing was counted twice or lost.
        for (const key of queues) {
          for (let left = pending.get(key) ?? 0; left > 0; left--) windows.end(key);
          for (const bytes of of(key).splice(0)) windows.remove(key, bytes);
          windows.setIdle(key, true);
        }
        queues.forEach((key, at) => {
          const expected = Math.min(max[at] ?? 0, total, 1);
          expect(windows.want(key)).toBe(expected);
        });
      }),
      { numRuns: 500 },
    );
  });
});
