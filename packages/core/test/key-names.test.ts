import { jobHash, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import * as core from '../src/index.js';
import { META, NOW, refusal, type TestQueue, useStore } from './use-store.js';

/**
 * Ids that are the names of a queue's own keys, or of a job's. Whoever pushes them into a location gets them dropped and
 * counted; the keys stay.
 */
const used = useStore();
const WORKER = { token: 't', lockDuration: 30_000 };

/** Every kind of key that an id can name, each with something in it. */
const KEYS: QueueState = {
  meta: META,
  'meta:counters:9': { a: '1' },
  id: '7',
  pc: '3',
  stalled: ['x'],
  limiter: '1',
  completed: { old: 1 },
  repeat: { s: 5 },
  'repeat:s': { name: 'n', ic: '1', data: '{}', opts: '{}' },
  'dn:d': { name: 'n', data: '{}', opts: '{}', jid: '4' },
  'de:d': '1',
  'metrics:completed': { count: '1' },
  'a:lock': 'tok',
  'a:logs': ['l'],
  'a:dependencies': ['k'],
  'a:processed': { k: '1' },
  'a:b:failed': { k: 'boom' },
  'a:unsuccessful': { k: 1 },
};
const NAMES = Object.keys(KEYS);

/** What of the queue is neither a location that was played with nor written by what ran. */
async function keysOf(queue: TestQueue): Promise<Record<string, unknown>> {
  const dump = await queue.read();
  return Object.fromEntries(NAMES.map((name) => [name, dump[name]]));
}

async function seeded(more: QueueState): Promise<[TestQueue, Record<string, unknown>]> {
  const queue = used.queue();
  await queue.seed(KEYS);
  await queue.seed(more);
  return [queue, await keysOf(queue)];
}

describe('the name of a key as an id', () => {
  it('is passed over by a fetch, from the list and from the set, and counted', async () => {
    const half = NAMES.length / 2;
    const [queue, before] = await seeded({
      wait: NAMES.slice(0, half),
      prioritized: Object.fromEntries(NAMES.slice(half).map((name, at) => [name, at])),
      delayed: { events: 4096, 'meta:x': 4097 },
      jobs: { 1: { priority: 3 } },
    });
    await used.redis.client.zadd(queue.key('prioritized'), 2 ** 40, '1');
    const fetched = await core.moveToActive(used.store, queue.keys, WORKER, NOW);
    expect(fetched).toMatchObject({ kind: 'job', job: { id: '1' } });
    expect(await keysOf(queue)).toEqual({ ...before, limiter: '1' });
    const dump = await queue.read();
    expect(dump.active).toEqual(['1']);
    const counted = dump['meta:counters:1'] as Record<string, string>;
    const sum = Object.values(counted).reduce((all, one) => all + Number(one), 0);
    expect(sum).toBe(NAMES.length + 2);
    expect(Number(counted.keyName)).toBeGreaterThan(5);
  });

  it('is not run by a scheduler that counts on it, but a run of a scheduler is', async () => {
    const [queue] = await seeded({ wait: ['repeat:s:5', 'repeat:s'], jobs: { 'repeat:s:5': {} } });
    const fetched = await core.moveToActive(used.store, queue.keys, WORKER, NOW);
    expect(fetched).toMatchObject({ kind: 'job', job: { id: 'repeat:s:5' } });
  });

  it('is a job where a foreign writer has stored one', async () => {
    const [queue] = await seeded({ wait: ['b:c:failed'], jobs: { 'b:c:failed': {} } });
    const fetched = await core.moveToActive(used.store, queue.keys, WORKER, NOW);
    expect(fetched).toMatchObject({ kind: 'job', job: { id: 'b:c:failed' } });
  });

  it('is dropped by the sweep', async () => {
    const [queue, before] = await seeded({ active: NAMES, stalled: NAMES });
    const limits = { maxStalledCount: 0, stalledInterval: 1 };
    await core.moveStalledJobsToWait(used.store, queue.keys, limits, NOW);
    const dump = await queue.read();
    expect(dump).not.toHaveProperty('active');
    expect(await keysOf(queue)).toEqual({ ...before, stalled: undefined });
  });

  it.each<[string, (queue: TestQueue) => Promise<unknown>]>([
    [
      'cleaned',
      (q) =>
        core.cleanJobsInSet(used.store, q.keys, {
          state: 'waiting',
          olderThan: NOW * 2,
          limit: 99,
        }),
    ],
    ['drained', (q) => core.drain(used.store, q.keys, true)],
    ['moved', (q) => core.moveJobsToWait(used.store, q.keys, { state: 'failed', limit: 99 })],
  ])('leaves its key alone when it is %s', async (_, act) => {
    const failed = Object.fromEntries(NAMES.map((name) => [name, 1]));
    const [queue, before] = await seeded({ wait: NAMES, failed });
    await act(queue);
    expect(await keysOf(queue)).toEqual(before);
  });

  it('leaves its key alone when retention trims it', async () => {
    const failed = Object.fromEntries(NAMES.map((name) => [name, 1]));
    const opts = { removeOnFail: 1 };
    const [queue, before] = await seeded({
      failed,
      active: ['1'],
      locks: { 1: 't' },
      jobs: { 1: { opts } },
    });
    const how = { jobId: '1', target: 'failed' as const, value: 'x', fetchNext: false };
    await core.moveToFinished(used.store, queue.keys, { ...how, options: { token: 't' } }, NOW);
    expect(await keysOf(queue)).toEqual(before);
    expect((await queue.read()).failed).toEqual([['1', NOW]]);
  });

  it('leaves the schedule alone that is named like a run', async () => {
    const record = { name: 'n', ic: '1' };
    const queue = used.queue();
    await queue.seed({
      repeat: { s: 5, 's:5': 9 },
      'repeat:s:5': record,
      delayed: { 'repeat:s:5': 1 },
    });
    await core.removeJobScheduler(used.store, queue.keys, 's');
    expect(await queue.read()).toMatchObject({ 'repeat:s:5': record });
  });

  it.each(NAMES)('is no job for who asks for "%s"', async (name) => {
    const [queue] = await seeded({ active: [name], delayed: { [name]: 1 }, failed: { [name]: 1 } });
    const lease = { jobId: name, token: 't' };
    const { store } = used;
    const calls: (() => Promise<unknown>)[] = [
      () => core.removeJob(store, queue.keys, { jobId: name, force: true }),
      () => core.cancelJob(store, queue.keys, { jobId: name }, NOW),
      () => core.promote(store, queue.keys, name),
      () => core.reprocessJob(store, queue.keys, { jobId: name, state: 'failed' }),
      () => core.changePriority(store, queue.keys, { jobId: name, priority: 1 }),
      () => core.changeDelay(store, queue.keys, { jobId: name, until: { delayMs: 1 } }, NOW),
      () => core.updateJobOptions(store, queue.keys, { jobId: name, opts: '{}' }),
      () => core.retryJob(store, queue.keys, { ...lease, reason: 'x' }, NOW),
      () => core.moveToWaitingChildren(store, queue.keys, lease, NOW),
    ];
    for (const call of calls) expect(await refusal(queue, call)).toBe('JOB_NOT_FOUND');
  });

  it('does not end a pause when the queue is obliterated', async () => {
    const queue = used.queue();
    await queue.seed({ meta: { paused: 1 }, wait: ['2', 'meta', '1'], jobs: { 1: {}, 2: {} } });
    while (!(await core.obliterate(used.store, queue.keys, true, 1)));
    expect(await queue.read()).toEqual({});
  });
});

describe('ids with colons', () => {
  it.each(['a:b', 'a:b:c', 'repeat:x:123', ':', 'x::y'])(
    '"%s" goes with its parent',
    async (id) => {
      const [top, below] = [used.queue(), used.queue()];
      const under = (queue: TestQueue, parent: string) => ({
        parent: { id: parent, queueKey: queue.base.slice(0, -1) },
        parentKey: queue.key(parent),
      });
      await top.seed({
        meta: META,
        'waiting-children': { p: 1 },
        'p:dependencies': [below.key(id)],
        jobs: { p: {} },
      });
      await below.seed({
        meta: META,
        'waiting-children': { [id]: 1 },
        [`${id}:dependencies`]: [below.key(`${id}:d`)],
        wait: [`${id}:d`],
        jobs: { [id]: under(top, 'p'), [`${id}:d`]: under(below, id) },
      });
      await core.removeJob(used.store, top.keys, { jobId: 'p', removeChildren: true });
      expect(Object.keys(await top.read()).sort()).toEqual(['events', 'marker', 'meta']);
      expect(Object.keys(await below.read()).sort()).toEqual(['events', 'marker', 'meta']);
    },
  );

  it.each(['a:b', 'a:b:c', 'repeat:x:123'])(
    '"%s" is a parent that only its key names',
    async (id) => {
      const queue = used.queue();
      await queue.seed({
        meta: META,
        'waiting-children': { [id]: 1 },
        [`${id}:dependencies`]: [queue.key('1')],
        active: ['1'],
        locks: { 1: 't' },
        jobs: { [id]: {}, 1: { parentKey: queue.key(id) } },
      });
      const how = { jobId: '1', target: 'completed' as const, value: '1', fetchNext: false };
      await core.moveToFinished(used.store, queue.keys, { ...how, options: { token: 't' } }, NOW);
      const dump = await queue.read();
      expect(dump.wait).toEqual([id]);
      expect(dump[id]).toEqual(jobHash({}));
    },
  );

  it('splits at the last colon under a prefix that nobody here knows', async () => {
    const [queue, other] = [used.queue(), used.redis.freshQueue({ prefix: 'else:where' })];
    await queue.seed({
      meta: META,
      'waiting-children': { p: 1 },
      'p:dependencies': [other.key('c')],
      jobs: { p: {} },
    });
    await other.seed({ meta: META, wait: ['c'], jobs: { c: {} } });
    await core.removeJob(used.store, queue.keys, { jobId: 'p', removeChildren: true });
    expect(Object.keys(await other.read()).sort()).toEqual(['events', 'meta']);
  });
});
