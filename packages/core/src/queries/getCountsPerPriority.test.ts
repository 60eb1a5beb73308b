import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { getCountsPerPriority } from './getCountsPerPriority.js';

const used = useStore();
const CLASS = 2 ** 32;

describe('getCountsPerPriority', () => {
  it('counts the jobs of each class, 0 being the list, and writes nothing', async () => {
    const queue = used.queue();
    const prioritized = { a: CLASS, b: 2 * CLASS - 1, c: 2 * CLASS, d: 2_097_151 * CLASS + 5 };
    await queue.seed({ wait: ['1', '2', '3'], prioritized });
    const before = await queue.read();
    const wanted = [2_097_151, 0, 1, 2, 3];
    expect(await getCountsPerPriority(used.store, queue.keys, wanted)).toEqual([1, 3, 2, 1, 0]);
    expect(await getCountsPerPriority(used.store, queue.keys, [])).toEqual([]);
    expect(await queue.read()).toEqual(before);
  });
});
