import { setTimeout as sleep } from 'node:timers/promises';
import { moveToActive, removeJob, Store, type StoredJob, StoreUnavailable } from '@echomq/core';
import type { DeliveredJob } from '@echomq/proto/messages';
import { eventually, type FreshQueue } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/ports.js';
import type { NamedQueue } from '../../src/queue-names.js';
import { makeNextRun } from '../../src/scheduling/next-run.js';
import { nextRuns } from '../../src/scheduling/next-runs.js';
import { repairSchedulers } from '../../src/scheduling/repair-schedulers.js';
import { useCore } from '../use-core.js';
import { complete, fail, fetchOf, finishOf, useEngine } from '../use-engine.js';
import { patient } from '../use-services.js';
import { openOf, openWork } from '../work-link.js';
import { cron, every, upsertOf } from './schedule-requests.js';

const used = useEngine();
const core = useCore(used.redis);
const worker = () => used.engine.services.worker;
const upsert = (...args: Parameters<typeof upsertOf>) =>
  used.engine.services.scheduler.upsertScheduler(upsertOf(...args), patient);
const wait = { seconds: 5, nanos: 0 };
const HOUR = 3_600_000;

async function take(queue: FreshQueue): Promise<DeliveredJob> {
  const { jobs } = await worker().fetchJobs(fetchOf(queue, { wait }), patient);
  if (!jobs[0]) throw new Error('no run came');
  return jobs[0];
}

/** Ids and due times of the runs that wait, wherever they do. */
async function ahead(queue: FreshQueue): Promise<string[]> {
  const reads = used.redis.client.multi().lrange(queue.key('wait'), 0, -1);
  for (const set of ['delayed', 'prioritized']) reads.zrange(queue.key(set), '0', '-1');
  const replies = (await reads.exec()) ?? [];
  return replies.flatMap(([, ids]) => ids as string[]);
}

const slotOf = (id: string | undefined) => Number(id?.split(':').at(-1));

describe('an old repeatable job of BullMQ 5', () => {
  it.each([
    ['repeat:old', 'scheduler.legacy'],
    ['gone', undefined],
  ])('runs once, and it is warned that nobody continues it: %s', async (record, warning) => {
    const queue = used.queue();
    await used.redis.client.zadd(queue.key(record === 'gone' ? 'other' : 'repeat'), 7, 'old');
    await used.redis.client.hset(queue.key('repeat:old'), { name: 'x', every: 100 });
    const keys = core.keysOf(queue);
    const warned: [string, object][] = [];
    const logger = {
      ...silentLogger,
      warn: (event: string, facts: object) => void warned.push([event, facts]),
    };
    const deps = { store: core.store, logger, observer: undefined };
    const job = { id: 'repeat:old:7', schedulerId: 'old' } as unknown as StoredJob;
    const before = await queue.read();
    expect(await nextRuns(deps)({ name: queue.name, keys } as NamedQueue, job)).toBe(true);
    expect(await queue.read()).toEqual(before);
    expect(warned.map(([event]) => event)).toEqual(warning === undefined ? [] : [warning]);
  });
});

describe('the next run', () => {
  it('is there before the worker has the job: unary fetch, stream, fetch after a finish', async () => {
    const queue = used.queue();
    await upsert(queue, every(200));
    const first = await take(queue);
    expect(first).toMatchObject({ schedulerId: 's', name: 's' });
    const [second] = await ahead(queue);
    expect(slotOf(second)).toBe(slotOf(first.lease?.jobId) + 200);

    const stream = openWork(used.engine, openOf(queue, {}, 1));
    const [delivery] = await stream.waitFor('delivery');
    expect(delivery?.jobs[0]?.lease?.jobId).toBe(second);
    expect(await ahead(queue)).toHaveLength(1);
    stream.cut();
    await stream.over.catch(() => undefined);

    const fetchNext = {
      maxJobs: 1,
      wait,
      lockDuration: undefined,
      maxResponseBytes: 0,
      rateLimit: undefined,
    };
    const done = await worker().finishJob(finishOf(first, complete(), { fetchNext }), patient);
    expect(done.next[0]?.schedulerId).toBe('s');
    expect(await ahead(queue)).not.toContain(done.next[0]?.lease?.jobId);
    expect(await ahead(queue)).not.toHaveLength(0);
    await used.engine.services.scheduler.removeScheduler(
      { queue: queue.name, schedulerId: 's', allowMissing: false },
      patient,
    );
  });

  it('T063 fixed id blocked by old failure: comes on time after a final failure, and is not blocked by it', async () => {
    const queue = used.queue();
    await upsert(queue, every(1_000));
    const first = await take(queue);
    await worker().finishJob(finishOf(first, fail('no')), patient);
    const second = await take(queue);
    expect(slotOf(second.lease?.jobId)).toBe(slotOf(first.lease?.jobId) + 1_000);
    expect((await queue.read()).failed).toEqual([[first.lease?.jobId, expect.any(Number)]]);
  });

  it('stops at the limit, also where each run is removed as it ends', async () => {
    const queue = used.queue();
    const template = { options: { removeOnComplete: { rule: { $case: 'remove', value: true } } } };
    await upsert(queue, every(20, { limit: 3 }), { template } as never);
    for (let run = 1; run <= 3; run++) {
      await worker().finishJob(finishOf(await take(queue), complete()), patient);
    }
    expect(await ahead(queue)).toEqual([]);
    const { store } = core;
    expect(await repairSchedulers(store, core.keysOf(queue))).toEqual([]);
    // Set anew, it counts anew.
    await upsert(queue, every(20, { limit: 3 }), { template } as never);
    await worker().finishJob(finishOf(await take(queue), complete()), patient);
    expect(await ahead(queue)).toHaveLength(1);
  });

  it('stops at the end', async () => {
    const queue = used.queue();
    const endAt = new Date(Date.now() + 300);
    await upsert(queue, every(200, { endAt }));
    await take(queue);
    const second = await take(queue);
    expect(slotOf(second.lease?.jobId)).toBeLessThanOrEqual(endAt.getTime());
    expect(await ahead(queue)).toEqual([]);
  });

  it('follows the calendar', async () => {
    const queue = used.queue();
    await upsert(queue, cron('* * * * * *', 'Europe/Berlin', { immediately: true }));
    await take(queue);
    const [next] = await ahead(queue);
    expect(slotOf(next) % 1_000).toBe(0);
    expect(slotOf(next)).toBeGreaterThan(Date.now() - 1_000);
    const due = await take(queue);
    expect(due.lease?.jobId).toBe(next);
  });

  it('T058 duplicate iterations: is one, although ten set the schedule again and again while runs come', async () => {
    const queue = used.queue();
    const most: number[] = [];
    let over = false;
    const setting = Array.from({ length: 10 }, async () => {
      while (!over) {
        await upsert(queue, every(100));
        most.push((await ahead(queue)).length);
        await sleep(5);
      }
    });
    const runs: string[] = [];
    const until = Date.now() + 1_500;
    while (Date.now() < until) {
      const job = await take(queue);
      runs.push(job.lease?.jobId ?? '');
      await worker().finishJob(finishOf(job, complete()), patient);
    }
    over = true;
    await Promise.all(setting);
    expect(Math.max(...most)).toBe(1);
    // Never two for one slot; how many are late is the machine's affair.
    const gaps = runs.slice(1).map((id, i) => slotOf(id) - slotOf(runs[i]));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100);
    expect(runs.length).toBeGreaterThanOrEqual(3);
  });
});

describe('a crash between the taking of a run and the making of the next', () => {
  it('is made up for by the next repair, once', async () => {
    const queue = used.queue();
    const { store } = core;
    await upsert(queue, every(100));
    // Taken by a worker that dies at once.
    const taken = await moveToActive(store, core.keysOf(queue), {
      token: 't',
      lockDuration: 60_000,
    });
    expect(taken.kind).toBe('job');
    expect(await ahead(queue)).toEqual([]);
    const mended = await Promise.all(
      [1, 2, 3].map(() => repairSchedulers(store, core.keysOf(queue))),
    );
    expect(mended.flat()).toEqual(['s']);
    expect(await ahead(queue)).toHaveLength(1);
    expect((await queue.read())['repeat:s']).toMatchObject({ ic: '2' });
  });

  it('is made up for by the engine itself', { timeout: 15_000 }, async () => {
    const queue = used.queue();
    const { store } = core;
    await upsert(queue, every(100));
    await moveToActive(store, core.keysOf(queue), { token: 't', lockDuration: 60_000 });
    // Somebody who waits, so that the engine serves the queue.
    const next = await take(queue).catch(() => take(queue));
    expect(next.schedulerId).toBe('s');
  });

  it('leaves a run alone that still waits, and is not hidden by schedules at their end', async () => {
    const queue = used.queue();
    const { store } = core;
    const past = Date.now() - HOUR;
    const ended = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`old${i}`, past + i]));
    await queue.seed({ repeat: { ...ended, waits: past + 500, gone: past + 501 } });
    const records = Object.keys(ended).map((id) => [id, { name: id, every: 1, ic: 2, limit: 2 }]);
    for (const [id, record] of records as [string, Record<string, number>][]) {
      await queue.seed({ [`repeat:${id}`]: record });
    }
    const run = `repeat:waits:${past + 500}`;
    await queue.seed({
      'repeat:waits': { name: 'waits', every: 1_000, ic: 1 },
      'repeat:gone': { name: 'gone', every: 1_000, ic: 1 },
      jobs: { [run]: { rjk: 'waits' } },
      wait: [run],
    });
    expect(await repairSchedulers(store, core.keysOf(queue))).toEqual(['gone']);
  });

  it('T060 pending iteration deleted: cannot come from a removal: the run ahead is refused', async () => {
    const queue = used.queue();
    const { store } = core;
    const { nextJobId } = await upsert(
      queue,
      every(HOUR, { startAt: new Date(Date.now() + HOUR) }),
    );
    await expect(removeJob(store, core.keysOf(queue), { jobId: nextJobId })).rejects.toMatchObject({
      reason: 'JOB_BELONGS_TO_SCHEDULER',
    });
    expect(await ahead(queue)).toEqual([nextJobId]);
  });
});

describe('a next run that cannot be made', () => {
  const job = { id: 'repeat:s:1000', schedulerId: 's' } as never;
  const failing = (error: Error) => {
    const store = new Store(core.store.redis);
    store.command = () => Promise.reject(error);
    return nextRuns({ store, logger: silentLogger });
  };
  const named = { name: 'q', keys: core.keysOf({ name: 'q' }) };
  it('keeps the job back while the store is away, and not for anything else', async () => {
    expect(await failing(new StoreUnavailable('away', true))(named, job)).toBe(false);
    expect(await failing(new Error('other'))(named, job)).toBe(true);
    expect(failing(new Error('other'))(named, { id: '1' } as never)).toBeUndefined();
  });

  it('does not keep a run from its worker: a pattern that nobody can read', async () => {
    const fresh = used.queue();
    const due = Date.now() - 1_000;
    const id = `repeat:s:${due}`;
    await fresh.seed({
      repeat: { s: due },
      'repeat:s': { name: 's', pattern: 'no cron', ic: 1 },
      jobs: { [id]: { rjk: 's' } },
      wait: [id],
    });
    expect((await take(fresh)).lease?.jobId).toBe(id);
    await eventually(async () => expect((await fresh.read()).active).toEqual([id]));
  });

  it('is nothing to do for an older run and for a scheduler that is gone', async () => {
    const fresh = used.queue();
    const { store } = core;
    await upsert(fresh, every(HOUR, { startAt: new Date(Date.now() + HOUR) }));
    const before = await fresh.read();
    const older = { id: 'repeat:s:1000', schedulerId: 's' };
    expect(await makeNextRun(store, core.keysOf(fresh), older)).toBeUndefined();
    const gone = { id: 'repeat:x:1000', schedulerId: 'x' };
    expect(await makeNextRun(store, core.keysOf(fresh), gone)).toBeUndefined();
    expect(await fresh.read()).toEqual(before);
  });
});
