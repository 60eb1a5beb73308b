import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { getDependencyCounts } from './getDependencyCounts.js';

const used = useStore();

describe('getDependencyCounts', () => {
  it("counts a job's children by how they stand, and writes nothing", async () => {
    const queue = used.queue();
    await queue.seed({
      'p:dependencies': ['a', 'b', 'c', 'd'],
      'p:processed': { e: '1', f: '2', g: '3' },
      'p:failed': { h: 'x', i: 'y' },
      'p:unsuccessful': { j: 1 },
    });
    const before = await queue.read();
    expect(await getDependencyCounts(used.store, queue.keys, 'p')).toEqual({
      pending: 4,
      processed: 3,
      ignored: 2,
      failed: 1,
    });
    expect(await queue.read()).toEqual(before);
    const none = await getDependencyCounts(used.store, queue.keys, 'x');
    expect(new Set(Object.values(none))).toEqual(new Set([0]));
  });
});
