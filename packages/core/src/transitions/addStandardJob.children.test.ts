import { describe, expect, it } from 'vitest';
import { META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import type { NewJob } from '../new-job.js';
import { addJobs } from './addJobs.js';
import { addStandardJob } from './addStandardJob.js';

const used = useStore();
const child = (queue: TestQueue, parentId: string): NewJob => ({
  name: 'j',
  data: '1',
  opts: '{}',
  timestamp: NOW,
  customId: 'c',
  parent: {
    key: queue.key(parentId),
    json: JSON.stringify({ id: parentId, queueKey: queue.base.slice(0, -1) }),
  },
});

describe('addStandardJob of a child that exists', () => {
  it('ties it to its new parent, which waits for it', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['c'], jobs: { c: {}, p: {} }, 'waiting-children': { p: 1 } });
    await addStandardJob(used.store, queue.keys, child(queue, 'p'));
    expect(await queue.read()).toMatchObject({
      c: { parentKey: queue.key('p') },
      'p:dependencies': [queue.key('c')],
      'waiting-children': [['p', 1]],
    });
  });

  it('counts one that has completed as done, and lets the parent run', async () => {
    const queue = used.queue();
    await queue.seed({ completed: { c: 1 }, jobs: { c: { returnvalue: '7' }, p: {} } });
    await queue.seed({ 'waiting-children': { p: 1 }, meta: META });
    await addStandardJob(used.store, queue.keys, child(queue, 'p'));
    expect(await queue.read()).toMatchObject({
      wait: ['p'],
      'p:processed': { [queue.key('c')]: '7' },
    });
  });

  it('rejects PARENT_JOB_CANNOT_BE_REPLACED while another parent lives, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['c'], jobs: { c: { parentKey: queue.key('q') }, p: {}, q: {} } });
    const call = () => addStandardJob(used.store, queue.keys, child(queue, 'p'));
    expect(await refusal(queue, call)).toBe('PARENT_JOB_CANNOT_BE_REPLACED');
    await used.redis.client.del(queue.key('q'));
    expect(await call()).toMatchObject({ outcome: 'existing' });
  });

  it('leaves it to the first parent where one batch names two', async () => {
    const queue = used.queue();
    await queue.seed({ jobs: { p: {}, q: {} }, 'waiting-children': { p: 1, q: 2 } });
    const added = await addJobs(used.store, queue.keys, [child(queue, 'p'), child(queue, 'q')], {
      now: NOW,
    });
    expect(added.map(({ outcome }) => outcome)).toEqual(['created', 'existing']);
    expect(await queue.read()).toMatchObject({
      c: { parentKey: queue.key('p') },
      'p:dependencies': [queue.key('c')],
    });
    expect(await queue.read()).not.toHaveProperty('q:dependencies');
  });
});
