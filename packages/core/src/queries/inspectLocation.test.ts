import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { inspectLocation } from './inspectLocation.js';

const used = useStore();

describe('inspectLocation', () => {
  it('names the ids that deserve a closer look, part by part, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({
      wait: ['1', '2', 'ghost', '0:12', 'meta'],
      completed: { 2: 1, 9: 1 },
      active: ['3', '4'],
      meta: { paused: '1' },
      jobs: { 1: {}, 2: {}, 3: {}, 4: {} },
      locks: { 3: 't' },
    });
    const before = await queue.read();
    const look = (name: 'wait' | 'active' | 'completed' | 'failed', first = 0, count = 10) =>
      inspectLocation(used.store, queue.keys, { name, first, count });
    expect(await look('wait')).toEqual({ looked: 5, suspects: ['2', 'ghost', '0:12', 'meta'] });
    expect(await look('wait', 1, 2)).toEqual({ looked: 2, suspects: ['2', 'ghost'] });
    expect(await look('wait', 5)).toEqual({ looked: 0, suspects: [] });
    expect(await look('active')).toEqual({ looked: 2, suspects: ['4'] });
    expect(await look('completed')).toEqual({ looked: 2, suspects: ['9'] });
    expect(await look('failed')).toEqual({ looked: 0, suspects: [] });
    expect(await queue.read()).toEqual(before);
  });

  it('has nothing where something else stands', async () => {
    const queue = used.queue();
    await queue.seed({ completed: 'text', wait: ['1'], jobs: { 1: {} } });
    const part = { first: 0, count: 9 };
    const completed = await inspectLocation(used.store, queue.keys, { name: 'completed', ...part });
    expect(completed).toEqual({ looked: 0, suspects: [] });
    const wait = await inspectLocation(used.store, queue.keys, { name: 'wait', ...part });
    expect(wait).toEqual({ looked: 1, suspects: [] });
  });
});
