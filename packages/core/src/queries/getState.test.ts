import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { getState } from './getState.js';

const used = useStore();

describe('getState', () => {
  it('names the location of a job, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({
      wait: ['x', 'w', 'y'],
      paused: ['parked'],
      active: ['a'],
      delayed: { d: 1 },
      prioritized: { p: 0 },
      'waiting-children': { c: 1 },
      completed: { done: 1 },
      failed: { f: 0 },
    });
    const before = await queue.read();
    const states = [];
    for (const id of ['w', 'parked', 'a', 'd', 'p', 'c', 'done', 'f', 'nowhere', ''])
      states.push(await getState(used.store, queue.keys, id));
    expect(states).toEqual([
      'waiting',
      'waiting',
      'active',
      'delayed',
      'prioritized',
      'waiting-children',
      'completed',
      'failed',
      'unknown',
      'unknown',
    ]);
    expect(await queue.read()).toEqual(before);
  });
});
