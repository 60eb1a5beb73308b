import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
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

  it('finds nothing in a location that is empty', async () => {
    const range = { state: 'failed' as const, first: 0, last: -1 };
    expect(await getRanges(used.store, used.queue().keys, range)).toEqual([]);
  });
});
