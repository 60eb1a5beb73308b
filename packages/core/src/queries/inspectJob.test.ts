import { describe, expect, it } from 'vitest';
import { useStore } from '../../test/use-store.js';
import { inspectJob } from './inspectJob.js';

const used = useStore();

describe('inspectJob', () => {
  it('tells every place of an id, its lock and its run, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({
      wait: ['1', '2', '1'],
      active: ['3'],
      completed: { 1: 5 },
      failed: 'no set',
      jobs: { 1: {}, 3: { processedOn: 77 } },
      locks: { 3: 't' },
      meta: { paused: '1' },
    });
    const before = await queue.read();
    const facts = (id: string) => inspectJob(used.store, queue.keys, id);
    expect(await facts('1')).toEqual({
      ...{ kind: 'job', processedOn: '', locked: false },
      places: [
        { name: 'wait', count: 2 },
        { name: 'completed', count: 1 },
      ],
    });
    const active = [{ name: 'active', count: 1 }];
    expect(await facts('3')).toEqual({
      ...{ kind: 'job', processedOn: '77', locked: true },
      places: active,
    });
    expect(await facts('2')).toMatchObject({ kind: 'none', places: [{ name: 'wait', count: 1 }] });
    expect(await facts('4')).toMatchObject({ kind: 'none', places: [] });
    expect(await facts('meta')).toMatchObject({ kind: 'other', places: [] });
    expect(await queue.read()).toEqual(before);
  });
});
