import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { META, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { removeChildDependency } from './removeChildDependency.js';

const used = useStore();
const cut = (queue: TestQueue, jobId = 'c', parentId = 'p') =>
  removeChildDependency(used.store, queue.keys, { jobId, parentKey: queue.key(parentId) });

async function related(more: readonly string[] = []): Promise<TestQueue> {
  const queue = used.queue();
  const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
  await queue.seed({
    meta: META,
    wait: ['c'],
    'waiting-children': { p: 1 },
    'p:dependencies': [queue.key('c'), ...more],
    jobs: { c: { parent, parentKey: queue.key('p') }, p: {}, q: {} },
  });
  return queue;
}

describe('removeChildDependency', () => {
  describe('moves', () => {
    it('a parent that has no other child to where it runs next', async () => {
      const queue = await related();
      expect(await cut(queue)).toBe(true);
      expect(await queue.read()).toEqual({
        wait: ['c', 'p'],
        c: jobHash({}),
        p: jobHash({}),
        q: jobHash({}),
        meta: META,
        marker: [['0', 0]],
        events: [{ event: 'waiting', jobId: 'p', prev: 'waiting-children' }],
      });
    });

    it('nothing while the parent has others', async () => {
      const queue = await related(['bull:q:other']);
      const before = await queue.read();
      expect(await cut(queue)).toBe(true);
      expect(await queue.read()).toEqual({
        ...before,
        c: jobHash({}),
        'p:dependencies': ['bull:q:other'],
      });
    });

    it('nothing where the two are not related', async () => {
      const queue = await related();
      const before = await queue.read();
      expect(await cut(queue, 'c', 'q')).toBe(false);
      expect(await queue.read()).toEqual(before);
    });
  });

  it.each([
    ['JOB_NOT_FOUND', 'x', 'p'],
    ['PARENT_JOB_NOT_FOUND', 'c', 'x'],
  ])('rejects %s, and writes nothing', async (reason, child, parent) => {
    const queue = await related();
    expect(await refusal(queue, () => cut(queue, child, parent))).toBe(reason);
  });
});
