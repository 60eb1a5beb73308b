import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { inspectKeys } from './inspectKeys.js';

const used = useStore();

describe('inspectKeys', () => {
  it('tells jobs in no set, stray locks and stray deduplication ids; writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({
      active: ['a'],
      delayed: { d: 1 },
      wait: ['w'],
      meta: { paused: '1' },
      'repeat:s': { name: 's' },
      'de:held': 'w',
      'de:gone': 'nobody',
      'de:lapses': 'nobody',
      'w:logs': ['a line'],
      jobs: { a: {}, d: {}, w: {}, lost: {} },
      locks: { a: 't', lost: 't' },
      ttls: { 'de:lapses': 60_000 },
    });
    const before = await queue.read();
    const names = Object.keys(before);
    expect(names).toHaveLength(15);
    const found = await inspectKeys(used.store, queue.keys, [...names, 'not:there']);
    expect(found).toEqual({
      unplaced: ['a', 'lost', 'w'],
      locked: ['lost'],
      deduplication: ['gone'],
    });
    expect(await queue.read()).toEqual(before);
  });
});
