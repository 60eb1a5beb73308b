import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { resume } from '../transitions/resume.js';
import { getCounts } from './getCounts.js';
import { getCountsPerPriority } from './getCountsPerPriority.js';
import { getRanges, locationKey, type Range } from './getRanges.js';

const used = useStore();
const LISTS = ['waiting', 'active'] as const;
const SETS = ['prioritized', 'delayed', 'waiting-children', 'completed', 'failed'] as const;

describe('getRanges', () => {
  it.each([...LISTS, ...SETS])('reads %s in the order in which jobs came', async (state) => {
    const queue = used.queue();
    const key = locationKey(queue.keys, state).slice(queue.base.length);
    const list = (LISTS as readonly string[]).includes(state);
    // A list has its newest at the head.
    await queue.seed({
      [key]: list ? ['e', 'd', 'c', 'b', 'a'] : { a: 1, b: 2, c: 3, d: 4, e: 5 },
    });
    const before = await queue.read();
    const range = async (first: number, last: number, newestFirst = false) => {
      const wanted: Range = { state, first, last, newestFirst };
      return (await getRanges(used.store, queue.keys, wanted)).join('');
    };
    expect(await range(0, -1)).toBe('abcde');
    expect(await range(0, 1)).toBe('ab');
    expect(await range(1, 3)).toBe('bcd');
    expect(await range(3, 99)).toBe('de');
    expect(await range(5, 9)).toBe('');
    expect(await range(0, -1, true)).toBe('edcba');
    expect(await range(1, 2, true)).toBe('dc');
    expect(await queue.read()).toEqual(before);
  });

  it.each([
    { wait: ['e', 'd'], paused: ['c', 'b', 'a'] },
    { wait: [], paused: ['e', 'd', 'c', 'b', 'a'] },
    { wait: ['e', 'd', 'c', 'b', 'a'], paused: [] },
  ])('reads waiting with what a peer has parked, which runs first: %o', async (lists) => {
    const queue = used.queue();
    await queue.seed({ ...lists, meta: { paused: 1 } });
    const range = async (first: number, last: number, newestFirst = false) => {
      const wanted: Range = { state: 'waiting', first, last, newestFirst };
      return (await getRanges(used.store, queue.keys, wanted)).join('');
    };
    const all = 'abcde';
    const back = [...all].reverse().join('');
    for (let first = 0; first < 7; first++) {
      for (let last = first; last < 8; last++) {
        expect(await range(first, last)).toBe(all.slice(first, last + 1));
        expect(await range(first, last, true)).toBe(back.slice(first, last + 1));
      }
      expect(await range(first, -1)).toBe(all.slice(first));
      expect(await range(first, -1, true)).toBe(back.slice(first));
    }
    expect(await getCounts(used.store, queue.keys)).toMatchObject({ waiting: 5 });
    expect(await getCountsPerPriority(used.store, queue.keys, [0])).toEqual([5]);
    await resume(used.store, queue.keys);
    expect(await range(0, -1)).toBe(all);
  });

  it('finds nothing in a location that is empty', async () => {
    const range = { state: 'failed' as const, first: 0, last: -1 };
    expect(await getRanges(used.store, used.queue().keys, range)).toEqual([]);
  });
});
