import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { GATES } from '../../test/gates.js';
import { itKeepsLimits } from '../../test/limits.js';
import { addedBefore, itKeepsReceipts } from '../../test/receipts.js';
import { eventLines, META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { addFlow, type FlowNode } from './addFlow.js';

const used = useStore();
const BODY = { name: 'j', data: '1', opts: '{}' };
const HASH = { name: 'j', data: '1', timestamp: NOW };
const parentJson = (queue: TestQueue, id: string) =>
  JSON.stringify({ id, queueKey: queue.base.slice(0, -1) });

/** A root `p` in one queue with the children `a` and `b` in another. */
function tree(parents: TestQueue, children: TestQueue): FlowNode[] {
  const parent = { json: parentJson(parents, 'p') };
  const child = { ...BODY, queue: children.keys, parentIndex: 0, parent, hasChildren: false };
  return [
    { ...BODY, queue: parents.keys, id: 'p', hasChildren: true },
    { ...child, id: 'a' },
    { ...child, id: 'b', priority: 2 },
  ];
}

describe('addFlow', () => {
  itKeepsLimits(used, (queue) =>
    addFlow(used.store, [
      { queue: queue.keys, id: 'top', name: 'n', data: '1', opts: '{}', hasChildren: false },
    ]),
  );

  describe('moves', () => {
    it('a tree into its queues: children to run, the parent to wait for them', async () => {
      const [parents, children] = [used.queue(), used.queue()];
      for (const queue of [parents, children]) await queue.seed({ meta: META });

      const added = await addFlow(used.store, tree(parents, children), { now: NOW });

      expect(added).toEqual([
        { jobId: 'p', outcome: 'created', state: 'waiting-children' },
        { jobId: 'a', outcome: 'created', state: 'waiting' },
        { jobId: 'b', outcome: 'created', state: 'prioritized' },
      ]);
      expect(await parents.read()).toEqual({
        'waiting-children': [['p', NOW]],
        'p:dependencies': [children.key('a'), children.key('b')],
        p: jobHash(HASH),
        id: '1',
        meta: META,
        events: [
          { event: 'added', jobId: 'p', name: 'j' },
          { event: 'waiting-children', jobId: 'p' },
        ],
      });
      const relation = { parentKey: parents.key('p'), parent: parentJson(parents, 'p') };
      expect(await children.read()).toEqual({
        wait: ['a'],
        prioritized: [['b', 2 * 2 ** 32 + 1]],
        pc: '1',
        a: jobHash({ ...HASH, ...relation }),
        b: jobHash({ ...HASH, ...relation, priority: 2 }),
        id: '2',
        meta: META,
        marker: [['0', 0]],
        events: ['a', 'b'].flatMap((jobId) => [
          { event: 'added', jobId, name: 'j' },
          { event: 'waiting', jobId },
        ]),
      });
    });

    it('a tree of three levels, with a delayed leaf', async () => {
      const queue = used.queue();
      const node = (id: string, more: Partial<FlowNode>) => ({
        ...BODY,
        queue: queue.keys,
        id,
        hasChildren: false,
        ...more,
      });
      const under = (parentIndex: number, id: string) => ({
        parentIndex,
        parent: { json: parentJson(queue, id) },
      });
      await addFlow(
        used.store,
        [
          node('root', { hasChildren: true }),
          node('mid', { hasChildren: true, ...under(0, 'root') }),
          node('leaf', { delay: 500, ...under(1, 'mid') }),
        ],
        { now: NOW },
      );
      expect(await queue.read()).toMatchObject({
        'waiting-children': [
          ['mid', NOW],
          ['root', NOW],
        ],
        'root:dependencies': [queue.key('mid')],
        'mid:dependencies': [queue.key('leaf')],
        delayed: [['leaf', (NOW + 500) * 4096]],
        leaf: { parentKey: queue.key('mid') },
      });
    });

    it('a root that is the child of a job that exists', async () => {
      const queue = used.queue();
      await queue.seed({ active: ['boss'], jobs: { boss: {} } });
      const parent = { key: queue.key('boss'), json: parentJson(queue, 'boss') };
      const root = { ...BODY, queue: queue.keys, id: 'r', hasChildren: false, parent };
      await addFlow(used.store, [root], { now: NOW });
      expect(await queue.read()).toMatchObject({
        wait: ['r'],
        'boss:dependencies': [queue.key('r')],
      });
    });

    it('an existing child: the parent waits for it, or counts it as done', async () => {
      const [parents, children] = [used.queue(), used.queue()];
      await children.seed({
        active: ['a'],
        completed: { b: 5 },
        jobs: { a: { name: 'old' }, b: { name: 'old', returnvalue: '7' } },
      });
      const added = await addFlow(used.store, tree(parents, children), { now: NOW });
      expect(added.map(({ outcome }) => outcome)).toEqual(['created', 'existing', 'existing']);
      expect(await parents.read()).toMatchObject({
        'waiting-children': [['p', NOW]],
        'p:dependencies': [children.key('a')],
        'p:processed': { [children.key('b')]: '7' },
      });
      expect(await children.read()).toMatchObject({
        a: { name: 'old', parentKey: parents.key('p') },
        active: ['a'],
      });
    });

    it('a parent whose children had all ended: it runs at once', async () => {
      const [parents, children] = [used.queue(), used.queue()];
      const jobs = { a: { returnvalue: '1' }, b: { returnvalue: '2' } };
      await children.seed({ completed: { a: 1, b: 2 }, jobs });
      await addFlow(used.store, tree(parents, children), { now: NOW });
      const dump = await parents.read();
      expect(dump).toMatchObject({ wait: ['p'], marker: [['0', 0]] });
      expect(dump).not.toHaveProperty('waiting-children');
    });

    it('the same tree twice without a change to the first', async () => {
      const [parents, children] = [used.queue(), used.queue()];
      await addFlow(used.store, tree(parents, children), { now: NOW });
      const again = await addFlow(used.store, tree(parents, children), { now: NOW + 5 });
      expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(['existing']));
      expect(await parents.read()).toMatchObject({
        'waiting-children': [['p', NOW]],
        'p:dependencies': [children.key('a'), children.key('b')],
      });
      expect((await children.read()).wait).toEqual(['a']);
    });

    it('nothing for no nodes', async () => {
      expect(await addFlow(used.store, [])).toEqual([]);
    });
  });

  describe('rejects the whole tree, names the node, and writes nothing', () => {
    it('PARENT_JOB_NOT_FOUND: the parent of the root', async () => {
      const queue = used.queue();
      const parent = { key: queue.key('gone'), json: '{}' };
      const root = { ...BODY, queue: queue.keys, id: 'r', hasChildren: false, parent };
      const call = () => addFlow(used.store, [root], { now: NOW });
      expect(await refusal(queue, call)).toBe('PARENT_JOB_NOT_FOUND');
    });

    it('PARENT_JOB_CANNOT_BE_REPLACED: a child of another living parent', async () => {
      const [parents, children] = [used.queue(), used.queue()];
      const parentKey = parents.key('other');
      await parents.seed({ jobs: { other: {} } });
      await children.seed({ wait: ['b'], jobs: { b: { parentKey } } });
      const call = () => addFlow(used.store, tree(parents, children), { now: NOW });
      expect(await refusal(children, call)).toBe('PARENT_JOB_CANNOT_BE_REPLACED');
      expect(await refusal(parents, call)).toBe('PARENT_JOB_CANNOT_BE_REPLACED');
      await expect(call()).rejects.toMatchObject({ index: 2, metadata: { queue: children.name } });
      // Once that is gone, the child may move.
      await used.redis.client.del(parentKey);
      expect((await addFlow(used.store, tree(parents, children), { now: NOW }))[2]).toMatchObject({
        outcome: 'existing',
      });
    });

    it('JOB_NOT_IN_STATE: new children of an inner node that waits for none', async () => {
      const [parents, children] = [used.queue(), used.queue()];
      await parents.seed({ active: ['p'], jobs: { p: {} } });
      const call = () => addFlow(used.store, tree(parents, children), { now: NOW });
      expect(await refusal(parents, call)).toBe('JOB_NOT_IN_STATE');
      expect(await children.read()).toEqual({});
    });
  });

  describe('wakes', () => {
    it.each(GATES)(
      "a worker of the children's queue while its gate is open: $gate",
      async ({ meta, open }) => {
        const [parents, children] = [used.queue(), used.queue()];
        await children.seed({ active: ['other'], meta: { ...META, ...meta } });
        await addFlow(used.store, tree(parents, children), { now: NOW });
        expect('marker' in (await children.read())).toBe(open);
        expect(await parents.read()).not.toHaveProperty('marker');
      },
    );
  });

  it('announces each node in its own queue', async () => {
    const [parents, children] = [used.queue(), used.queue()];
    await addFlow(used.store, tree(parents, children), { now: NOW });
    expect(eventLines(await parents.read())).toEqual([
      'event=added jobId=p name=j',
      'event=waiting-children jobId=p',
    ]);
    expect(eventLines(await children.read())[0]).toBe('event=added jobId=a name=j');
  });

  itKeepsReceipts(used, {
    seed: { meta: META },
    call: (queue, receipt) => {
      return addFlow(used.store, tree(queue, queue), { receipt, now: NOW });
    },
    answer:
      '[["p","created","waiting-children"],["a","created","waiting"],["b","created","prioritized"]]',
    again: (first) => (first as unknown[]).map(addedBefore),
  });
});
