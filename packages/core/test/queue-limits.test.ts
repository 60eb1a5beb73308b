import type { QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import * as core from '../src/index.js';
import { META, NOW, type TestQueue, useStore } from './use-store.js';

const used = useStore();
const JOB = { name: 'j', data: '"1234"', opts: '{}', timestamp: NOW };

/** Six jobs that have not ended, one in each location, and two that have. */
function sixJobs(limits: Record<string, string | number>): QueueState {
  return {
    meta: { ...META, ...limits },
    wait: ['1'],
    paused: ['2'],
    active: ['3'],
    prioritized: { 4: 1 },
    delayed: { 5: 9e15 },
    'waiting-children': { 6: 1 },
    completed: { 7: 1 },
    failed: { 8: 1 },
    id: 8,
    jobs: { 1: {}, 2: {}, 3: {}, 4: { priority: 1 }, 5: {}, 6: {}, 7: {}, 8: {} },
  };
}

let flows = 0;
const flowOf = (queue: TestQueue, count: number): core.FlowNode[] => {
  const flow = ++flows;
  return Array.from({ length: count }, (_, at) => ({
    ...{ queue: queue.keys, name: 'j', data: JOB.data, opts: '{}', id: `n${flow}-${at}` },
    ...(at > 0 ? { parentIndex: 0, parent: { json: '{}' } } : {}),
    hasChildren: at === 0 && count > 1,
  }));
};

/** Each way to add, one job by itself. */
const ADDS: Readonly<Record<string, (queue: TestQueue) => Promise<unknown>>> = {
  addStandardJob: (q) => core.addStandardJob(used.store, q.keys, JOB),
  addDelayedJob: (q) => core.addDelayedJob(used.store, q.keys, { ...JOB, delay: 5 }),
  addPrioritizedJob: (q) => core.addPrioritizedJob(used.store, q.keys, { ...JOB, priority: 1 }),
  addJobs: (q) => core.addJobs(used.store, q.keys, [JOB]),
  addFlow: (q) => core.addFlow(used.store, flowOf(q, 1)),
};

async function refused(queue: TestQueue, add: () => Promise<unknown>): Promise<unknown> {
  const before = await queue.read();
  const error = await add().then(
    () => 'accepted',
    (thrown: unknown) => thrown,
  );
  expect(await queue.read()).toEqual(before);
  return error;
}

describe('max_jobs', () => {
  it.each(Object.entries(ADDS))('%s is refused whole at it, and taken below', async (_, add) => {
    const queue = used.queue();
    await queue.seed(sixJobs({ 'echomq.maxJobs': 6 }));
    expect(await refused(queue, () => add(queue))).toMatchObject({
      ...{ code: 'RESOURCE_EXHAUSTED', reason: 'QUEUE_FULL' },
      metadata: { queue: queue.name, depth: '6', limit: '6' },
    });
    await queue.seed({ meta: { 'echomq.maxJobs': 7 } });
    await add(queue);
    expect(await refused(queue, () => add(queue))).not.toBe('accepted');
  });

  it('counts a bulk and a flow whole, and names the first that has no room', async () => {
    const queue = used.queue();
    await queue.seed(sixJobs({ 'echomq.maxJobs': 8 }));
    const bulk = () => core.addJobs(used.store, queue.keys, [JOB, JOB, JOB]);
    expect(await refused(queue, bulk)).toMatchObject({ reason: 'QUEUE_FULL', index: 2 });
    const flow = () => core.addFlow(used.store, flowOf(queue, 3));
    expect(await refused(queue, flow)).toMatchObject({
      ...{ reason: 'QUEUE_FULL', index: 2 },
      metadata: { depth: '6', limit: '8' },
    });
    await core.addFlow(used.store, flowOf(queue, 2));
  });

  it('counts each queue of a flow by itself', async () => {
    const [full, other] = [used.queue(), used.queue()];
    await full.seed(sixJobs({ 'echomq.maxJobs': 6 }));
    const nodes = [...flowOf(other, 2)];
    nodes[1] = { ...(nodes[1] as core.FlowNode), queue: full.keys };
    const before = await other.read();
    const flow = () => core.addFlow(used.store, nodes);
    expect(await refused(full, flow)).toMatchObject({ reason: 'QUEUE_FULL', index: 1 });
    expect(await other.read()).toEqual(before);
  });

  it('lets in what makes no new job', async () => {
    const queue = used.queue();
    await queue.seed({ ...sixJobs({ 'echomq.maxJobs': 6 }), 'de:d': '1' });
    const add = (more: object) => core.addStandardJob(used.store, queue.keys, { ...JOB, ...more });
    expect(await add({ customId: '3' })).toMatchObject({ outcome: 'existing' });
    expect(await add({ deduplication: { id: 'd' } })).toMatchObject({ outcome: 'deduplicated' });
  });

  it('does not bind schedules and retries', async () => {
    const queue = used.queue();
    await queue.seed({ ...sixJobs({ 'echomq.maxJobs': 1 }), locks: { 3: 't' } });
    const template = { head: '', repeatHead: '"every":5000', jsonId: 's', data: '1' };
    const scheduled = { schedulerId: 's', schedule: { name: 's', every: 5_000 }, template };
    await core.addJobScheduler(used.store, queue.keys, scheduled, NOW);
    await core.retryJob(used.store, queue.keys, { jobId: '3', token: 't', reason: 'x' }, NOW);
    await core.reprocessJob(used.store, queue.keys, { jobId: '8', state: 'failed' });
  });

  it.each(['many', '', '-', 'nan'])('is none where it says "%s"', async (text) => {
    const queue = used.queue();
    await queue.seed(sixJobs({ 'echomq.maxJobs': text }));
    for (const add of Object.values(ADDS)) await add(queue);
  });

  it('costs nothing where none is set', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, id: 1 });
    const counted = async () => {
      await used.redis.client.config('RESETSTAT');
      await core.addStandardJob(used.store, queue.keys, JOB);
      const stats = await used.redis.client.info('commandstats');
      return [...stats.matchAll(/cmdstat_(?:zcard|exists):calls=(\d+)/g)].map(([, n]) => Number(n));
    };
    await counted();
    expect(await counted()).toEqual([1]);
  });
});

describe('max_payload', () => {
  it.each(Object.entries(ADDS))('%s takes what is as long, and no more', async (_, add) => {
    const queue = used.queue();
    await queue.seed({ meta: { ...META, 'echomq.maxPayload': 5 } });
    expect(await refused(queue, () => add(queue))).toMatchObject({
      ...{ code: 'INVALID_ARGUMENT', reason: 'PAYLOAD_TOO_LARGE' },
      metadata: { actualBytes: '6', limitBytes: '5' },
    });
    await queue.seed({ meta: { ...META, 'echomq.maxPayload': 6 } });
    await add(queue);
  });

  it('counts bytes', async () => {
    const queue = used.queue();
    await queue.seed({ meta: { ...META, 'echomq.maxPayload': 5 } });
    const add = () => core.addStandardJob(used.store, queue.keys, { ...JOB, data: '"éé"' });
    expect(await refused(queue, add)).toMatchObject({ metadata: { actualBytes: '6' } });
  });
});
