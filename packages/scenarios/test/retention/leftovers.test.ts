import { JobState } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import {
  add,
  addMany,
  complete,
  fail,
  finish,
  refusalOf,
  scaled,
  span,
  takeOne,
  useRig,
} from '../../src/index.js';

const rig = useRig();
const STATES = [
  JobState.WAITING,
  JobState.PRIORITIZED,
  JobState.DELAYED,
  JobState.WAITING_CHILDREN,
  JobState.COMPLETED,
  JobState.FAILED,
];

describe('what is left in the store', () => {
  it.each(['cleans', 'one obliterate'])(
    'T081 leftovers: after %s no key of a job is there',
    async (way) => {
      const queue = rig.freshQueue();
      const raw = rig.raw();
      const { name } = queue;
      const child = { queue: name, name: 'child' };
      await raw.call('producer', 'addFlow', {
        root: { queue: name, name: 'parent', children: [child, child] },
      });
      await addMany(raw, name, 3);
      await add(raw, name, { due: { $case: 'delay', value: span(3_600_000) } });
      await add(raw, name, { priority: 3, deduplication: { id: 'k' } });
      for (let at = 0; at < 6; at += 1) {
        const job = await takeOne(raw, name);
        const { lease } = job;
        await raw.call('worker', 'updateProgress', { lease, progress: Buffer.from('1') });
        await raw.call('worker', 'appendLogs', { lease, lines: ['a', 'b'] });
        await finish(raw, job, at % 3 === 0 ? fail('x', { final: true }) : complete({ at }));
      }
      await raw.call('queue', 'pauseQueue', { queue: name });
      if (way === 'cleans') {
        for (let round = 0; round < 2; round += 1) {
          await raw.call('queue', 'drainQueue', { queue: name, includeDelayed: true });
          for (const state of STATES) {
            await raw.call('queue', 'cleanQueue', { queue: name, state }).catch(() => {});
          }
        }
        const { jobs } = await raw.call('queue', 'listJobs', { queue: name });
        for (const { jobId } of jobs) {
          await raw.call('queue', 'removeJob', { queue: name, jobId, removeChildren: true });
        }
        const own = /^(events|id|pc|meta.*|marker|stalled-check|metrics:.*)$/;
        expect(Object.keys(await queue.read()).filter((key) => !own.test(key))).toEqual([]);
      } else {
        await raw.call('queue', 'obliterateQueue', { queue: name, confirmQueue: name });
        expect(await queue.read()).toEqual({});
      }
    },
  );

  it('T082 unbounded events: removals of ids that nobody knows leave the stream within its bound', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    await add(raw, queue.name);
    await raw.call('queue', 'setQueueLimits', { queue: queue.name, limits: { maxEvents: 100 } });
    const IDS = scaled(1_000, 100_000);
    for (let from = 0; from < IDS; from += 100) {
      const part = Array.from({ length: 100 }, (_, at) => {
        const request = { queue: queue.name, jobId: `no-${from + at}` };
        return raw.call('queue', 'removeJob', { ...request, allowMissing: at % 2 === 0 });
      });
      const answers = await Promise.allSettled(part);
      expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(50);
    }
    // Redis trims by whole nodes of 100 entries.
    expect(await rig.redis.client.xlen(queue.key('events'))).toBeLessThanOrEqual(200);
    const { reason } = await refusalOf(
      raw.call('queue', 'removeJob', { queue: queue.name, jobId: 'x' }),
    );
    expect(reason).toBe('JOB_NOT_FOUND');
  });

  it('T083 events x queues: what a queue of few jobs costs is small, and its events have a bound of their own', async () => {
    const raw = rig.raw();
    const QUEUES = scaled(200, 2_000);
    const used = async () =>
      Number(/used_memory:(\d+)/.exec(await rig.redis.client.info('memory'))?.[1]);
    const before = await used();
    const names = Array.from({ length: QUEUES }, () => rig.freshQueue().name);
    for (let from = 0; from < QUEUES; from += 50) {
      await Promise.all(names.slice(from, from + 50).map((name) => addMany(raw, name, 3)));
    }
    // Jobs, counters and events of a new queue.
    expect((await used()) - before).toBeLessThan(QUEUES * 8_192);
    const [busy = ''] = names;
    const limits = { maxEvents: 50 };
    await raw.call('queue', 'setQueueLimits', { queue: busy, limits });
    for (let round = 0; round < 10; round += 1) await addMany(raw, busy, 100);
    expect(await rig.redis.client.xlen(`bull:${busy}:events`)).toBeLessThanOrEqual(200);
    const { queue } = await raw.call('queue', 'getQueue', { queue: busy });
    expect(queue?.limits?.maxEvents).toBe(50);
  });
});
