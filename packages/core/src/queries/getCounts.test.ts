import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { getCounts } from './getCounts.js';

const used = useStore();

describe('getCounts', () => {
  it('counts every location, and what a BullMQ 5 peer parked as waiting', async () => {
    const queue = used.queue();
    await queue.seed({
      wait: ['1', '2'],
      paused: ['3'],
      active: ['4'],
      prioritized: { 5: 1, 6: 2 },
      delayed: { 7: 1 },
      'waiting-children': { 8: 1, 9: 1, 10: 1 },
      completed: { 11: 1, 12: 1, 13: 1, 14: 1 },
      failed: { 15: 1 },
    });
    const before = await queue.read();
    expect(await getCounts(used.store, queue.keys)).toEqual({
      waiting: 3,
      active: 1,
      prioritized: 2,
      delayed: 1,
      waitingChildren: 3,
      completed: 4,
      failed: 1,
    });
    expect(await queue.read()).toEqual(before);
  });

  it('counts of the delayed jobs those that are due before a time', async () => {
    const queue = used.queue();
    await queue.seed({ delayed: { 1: 6 * 4096 + 4095, 2: 7 * 4096, 3: 8 * 4096 }, wait: ['4'] });
    const delayed = async (before?: number) =>
      (await getCounts(used.store, queue.keys, before)).delayed;
    expect([await delayed(7), await delayed(8), await delayed(0), await delayed()]).toEqual([
      ...[1, 2, 0, 3],
    ]);
    expect((await getCounts(used.store, queue.keys, 7)).waiting).toBe(1);
  });

  it('has zeros for a queue that nobody knows', async () => {
    const counts = await getCounts(used.store, used.queue().keys);
    expect(new Set(Object.values(counts))).toEqual(new Set([0]));
  });
});
