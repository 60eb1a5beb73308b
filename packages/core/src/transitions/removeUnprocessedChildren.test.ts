import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { events, META, refusal, useStore } from '../../test/use-store.js';
import { removeUnprocessedChildren } from './removeUnprocessedChildren.js';

const used = useStore();

describe('removeUnprocessedChildren', () => {
  it('moves nothing: it removes pending children with theirs; running and ended ones stay', async () => {
    const queue = used.queue();
    const relation = (id: string) => ({
      parent: { id, queueKey: queue.base.slice(0, -1) },
      parentKey: queue.key(id),
    });
    await queue.seed({
      meta: META,
      wait: ['waits', 'leaf'],
      active: ['runs'],
      failed: { fell: 1 },
      completed: { done: 1 },
      'waiting-children': { p: 1, waits2: 2 },
      'p:dependencies': ['waits', 'runs', 'fell', 'waits2'].map((id) => queue.key(id)),
      'p:processed': { [queue.key('done')]: '1' },
      'waits2:dependencies': [queue.key('leaf')],
      jobs: {
        p: {},
        waits: relation('p'),
        runs: relation('p'),
        fell: relation('p'),
        done: relation('p'),
        waits2: relation('p'),
        leaf: relation('waits2'),
      },
      locks: { runs: 't' },
    });

    expect(await removeUnprocessedChildren(used.store, queue.keys, 'p')).toBe(3);

    const dump = await queue.read();
    for (const id of ['waits', 'waits2', 'leaf', 'wait']) expect(dump).not.toHaveProperty(id);
    expect(dump).toMatchObject({
      'waiting-children': [['p', 1]],
      'p:dependencies': [queue.key('fell'), queue.key('runs')],
      'p:processed': { [queue.key('done')]: '1' },
      active: ['runs'],
      'runs:lock': 't',
      failed: [['fell', 1]],
      completed: [['done', 1]],
    });
    const removed = events(dump).filter(({ event }) => event === 'removed');
    expect(removed.map(({ jobId }) => jobId).sort()).toEqual(['leaf', 'waits', 'waits2']);
  });

  it('lets a parent run when none is left', async () => {
    const queue = used.queue();
    const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
    await queue.seed({
      meta: META,
      delayed: { c: 1 },
      'waiting-children': { p: 1 },
      'p:dependencies': [queue.key('c')],
      jobs: { p: {}, c: { parent, parentKey: queue.key('p') } },
    });
    expect(await removeUnprocessedChildren(used.store, queue.keys, 'p')).toBe(1);
    expect(await queue.read()).toEqual({
      wait: ['p'],
      p: jobHash({}),
      meta: META,
      marker: [['0', 0]],
      events: [
        { event: 'waiting', jobId: 'p', prev: 'waiting-children' },
        { event: 'removed', jobId: 'c', prev: 'delayed' },
      ],
    });
  });

  it('rejects JOB_NOT_FOUND, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ 'p:dependencies': [queue.key('c')], jobs: { c: {} } });
    const call = () => removeUnprocessedChildren(used.store, queue.keys, 'p');
    expect(await refusal(queue, call)).toBe('JOB_NOT_FOUND');
  });
});
