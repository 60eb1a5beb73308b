import { jobHash } from '@echomq/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  addDelayedJob,
  addJobs,
  addPrioritizedJob,
  addStandardJob,
  extendLock,
  extendLocks,
  moveJobFromActiveToWait,
  moveStalledJobsToWait,
  moveToActive,
  moveToDelayed,
  moveToFinished,
  moveToWaitingChildren,
  pause,
  promote,
  promoteDueJobs,
  removeJob,
  replayFetch,
  reprocessJob,
  resume,
  retryJob,
  StoreFull,
} from '../src/index.js';
import { activeJob } from './lease-rejections.js';
import { RECEIPTS, sessionReceipt } from './receipts.js';
import { META, NOW, type TestQueue, useStore } from './use-store.js';

/**
 * A store whose memory limit is reached and that may evict nothing: jobs that are in it go on and end, new ones are
 * refused whole.
 */
const used = useStore({ args: ['--maxmemory-policy', 'noeviction'] });

const fill = () => used.redis.client.config('SET', 'maxmemory', '1');
const free = () => used.redis.client.config('SET', 'maxmemory', '0');
afterEach(free);

/** Runs something with the store full. */
async function whileFull<T>(run: () => Promise<T>): Promise<T> {
  await fill();
  try {
    return await run();
  } finally {
    await free();
  }
}

const JOB = { name: 'send', data: '1', opts: '{}', timestamp: NOW };
const RAN = jobHash({ ats: 1 });
const WORKER = { token: 't2', lockDuration: 60_000 };
let queue: TestQueue;
beforeEach(() => {
  queue = used.queue();
});

describe('a full store refuses whole', () => {
  it.each<[string, (queue: TestQueue) => Promise<unknown>]>([
    ['addStandardJob', (q) => addStandardJob(used.store, q.keys, JOB)],
    ['addPrioritizedJob', (q) => addPrioritizedJob(used.store, q.keys, { ...JOB, priority: 1 })],
    ['addDelayedJob', (q) => addDelayedJob(used.store, q.keys, { ...JOB, delay: 5 })],
    ['addJobs', (q) => addJobs(used.store, q.keys, [JOB, { ...JOB, delay: 5 }])],
  ])('%s', async (_, add) => {
    await queue.seed({ wait: ['1'], jobs: { 1: {} }, id: 1 });
    const before = await queue.read();
    // Known to the server or not: the body is refused just as well.
    for (const flush of [false, true]) {
      if (flush) await used.redis.client.script('FLUSH');
      const error = await whileFull(() => add(queue)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StoreFull);
      expect(error).toMatchObject({ reason: 'BACKEND_OUT_OF_MEMORY', retryable: true });
      expect(await queue.read()).toEqual(before);
    }
    await add(queue);
    expect(await queue.read()).not.toEqual(before);
  });
});

describe('a full store runs to the end', () => {
  it('moveToActive, due jobs and all', async () => {
    await queue.seed({ meta: META, wait: ['1'], delayed: { 2: 4096 }, jobs: { 1: {}, 2: {} } });
    const fetched = await whileFull(() => moveToActive(used.store, queue.keys, WORKER, NOW));
    expect(fetched).toMatchObject({ kind: 'job', job: { id: '1' } });
    expect(await queue.read()).toEqual({
      wait: ['2'],
      active: ['1'],
      '1:lock': 't2',
      1: jobHash({ ats: 1, processedOn: NOW }),
      2: jobHash({}),
      meta: META,
      marker: [['0', 0]],
      events: [
        { event: 'waiting', jobId: '2', prev: 'delayed' },
        { event: 'active', jobId: '1', prev: 'waiting' },
      ],
    });
  });

  it('moveToFinished with the next job', async () => {
    await queue.seed(activeJob({}, { wait: ['2'] }));
    await queue.seed({ jobs: { 2: {} } });
    const how = { jobId: '1', target: 'completed' as const, value: '1', fetchNext: true };
    const receipt = sessionReceipt(queue);
    const locks = { token: 't1', nextToken: 't2', lockDuration: 60_000 };
    const options = { ...locks, logs: ['l'], receipt };
    const finish = () => moveToFinished(used.store, queue.keys, { ...how, options }, NOW);
    const finished = await whileFull(finish);
    expect(finished).toMatchObject({ branch: 'completed', next: { job: { id: '2' } } });
    expect(await queue.read()).toEqual({
      active: ['2'],
      '2:lock': 't2',
      [RECEIPTS]: { 7: '[1,"d7",0,"completed",1,0,"2","t2"]' },
      completed: [['1', NOW]],
      1: jobHash({ ats: 1, atm: 1, returnvalue: '1', finishedOn: NOW }),
      '1:logs': ['l'],
      2: jobHash({ ats: 1, processedOn: NOW }),
      meta: META,
      marker: [['0', 0]],
      events: [
        { event: 'completed', jobId: '1', returnvalue: '1', prev: 'active' },
        { event: 'active', jobId: '2', prev: 'waiting' },
      ],
    });
    expect(await whileFull(finish)).toMatchObject({ next: { job: { id: '2' } }, replays: 1 });
  });

  it('replayFetch', async () => {
    await queue.seed({ meta: META, wait: ['1'], jobs: { 1: {} } });
    const { key, digest, ttl } = sessionReceipt(queue);
    const body = { key, field: 'fetch', digest, ttl };
    const receipt = { ...body, call: 'c', index: 0 };
    await whileFull(() => moveToActive(used.store, queue.keys, { ...WORKER, receipt }, NOW));
    const asked = { receipt: body, lockDuration: 60_000 };
    const replayed = await whileFull(() => replayFetch(used.store, queue.keys, asked));
    expect(replayed).toMatchObject({ replays: 1, jobs: [{ token: 't2' }] });
  });

  it('moveToFinished into a retry', async () => {
    const opts = { attempts: 2, backoff: { type: 'fixed', delay: 500 } };
    await queue.seed(activeJob({ opts }));
    const how = { jobId: '1', target: 'failed' as const, value: 'boom', fetchNext: true };
    const options = { token: 't1', nextToken: 't2', retry: { mode: 'DEFAULT' as const } };
    await whileFull(() => moveToFinished(used.store, queue.keys, { ...how, options }, NOW));
    expect(await queue.read()).toEqual({
      delayed: [['1', (NOW + 500) * 4096]],
      1: jobHash({ opts, ats: 1, atm: 1, failedReason: 'boom', delay: 500 }),
      meta: META,
      marker: [['1', NOW + 500]],
      events: [{ event: 'delayed', jobId: '1', delay: `${NOW + 500}` }],
    });
  });

  it('retryJob', async () => {
    await queue.seed(activeJob());
    const retry = { jobId: '1', token: 't1', reason: 'boom' };
    await whileFull(() => retryJob(used.store, queue.keys, retry, NOW));
    expect(await queue.read()).toEqual({
      wait: ['1'],
      1: jobHash({ ats: 1, atm: 1, failedReason: 'boom' }),
      meta: META,
      marker: [['0', 0]],
      events: [{ event: 'waiting', jobId: '1', prev: 'active' }],
    });
  });

  it('moveToDelayed', async () => {
    await queue.seed(activeJob());
    const delay = { jobId: '1', token: 't1', until: { delayMs: 500 }, skipAttempt: true };
    await whileFull(() =>
      moveToDelayed(used.store, queue.keys, { ...delay, fetchNext: WORKER }, NOW),
    );
    expect(await queue.read()).toEqual({
      delayed: [['1', (NOW + 500) * 4096]],
      1: jobHash({ ats: 1, delay: 500 }),
      meta: META,
      marker: [['1', NOW + 500]],
      events: [{ event: 'delayed', jobId: '1', delay: `${NOW + 500}` }],
    });
  });

  it('moveJobFromActiveToWait', async () => {
    await queue.seed(activeJob());
    const release = { jobId: '1', token: 't1', limitMs: 60_000 };
    await whileFull(() => moveJobFromActiveToWait(used.store, queue.keys, release));
    expect(await queue.read()).toEqual({
      wait: ['1'],
      1: RAN,
      limiter: '9007199254740991',
      meta: META,
      marker: [['0', 0]],
      events: [{ event: 'waiting', jobId: '1', prev: 'active' }],
    });
  });

  it('moveToWaitingChildren', async () => {
    await queue.seed(activeJob({}, { '1:dependencies': ['c'] }));
    await whileFull(() =>
      moveToWaitingChildren(used.store, queue.keys, { jobId: '1', token: 't1' }, NOW),
    );
    expect(await queue.read()).toEqual({
      'waiting-children': [['1', NOW]],
      '1:dependencies': ['c'],
      1: RAN,
      meta: META,
      events: [{ event: 'waiting-children', jobId: '1', prev: 'active' }],
    });
  });

  it('extendLock and extendLocks', async () => {
    await queue.seed(activeJob({}, { locks: { 1: { token: 't1', ttlMs: 500 } } }));
    const lease = { id: '1', token: 't1', lockDuration: 60_000 };
    await whileFull(() => extendLock(used.store, queue.keys, lease));
    expect(await queue.read()).toEqual({ active: ['1'], '1:lock': 't1', 1: RAN, meta: META });
    expect((await queue.readTtls())['1:lock']).toBeGreaterThan(50_000);
    const longer = { ...lease, lockDuration: 90_000 };
    await whileFull(() => extendLocks(used.store, queue.keys, [longer]));
    expect((await queue.readTtls())['1:lock']).toBeGreaterThan(80_000);
  });

  it('moveStalledJobsToWait, to recover, to fail and to mark', async () => {
    await queue.seed({
      meta: META,
      active: ['3', '2', '1'],
      stalled: ['1', '2'],
      jobs: { 1: {}, 2: { stc: 1 }, 3: {} },
    });
    const limits = { maxStalledCount: 1, stalledInterval: 60_000 };
    const swept = await whileFull(() => moveStalledJobsToWait(used.store, queue.keys, limits, NOW));
    expect(swept).toMatchObject({ recovered: ['1'], failed: ['2'] });
    expect(await queue.read()).toMatchObject({
      wait: ['1'],
      active: ['3'],
      stalled: ['3'],
      failed: [['2', NOW]],
      'stalled-check': `${NOW}`,
      1: jobHash({ stc: 1 }),
    });
  });

  it('moveStalledJobsToWait that only marks', async () => {
    await queue.seed({ meta: META, active: ['1'], jobs: { 1: {} } });
    const limits = { maxStalledCount: 1, stalledInterval: 60_000 };
    await whileFull(() => moveStalledJobsToWait(used.store, queue.keys, limits, NOW));
    expect(await queue.read()).toMatchObject({ stalled: ['1'], 'stalled-check': `${NOW}` });
  });

  it('promoteDueJobs, whether a job is due or not', async () => {
    const later = NOW + 500;
    await queue.seed({ meta: META, delayed: { 1: 4096, 2: later * 4096 }, jobs: { 1: {}, 2: {} } });
    const promoteOnce = () => whileFull(() => promoteDueJobs(used.store, queue.keys, NOW));
    expect(await promoteOnce()).toEqual({ moved: 1, nextDueAt: later });
    expect(await promoteOnce()).toEqual({ moved: 0, nextDueAt: later });
    expect(await queue.read()).toMatchObject({ wait: ['1'], delayed: [['2', later * 4096]] });
  });
});

describe('an operator on a full store', () => {
  it('can pause and resume, parked jobs and all', async () => {
    await queue.seed({ meta: META, wait: ['2'], paused: ['1'], jobs: { 1: {}, 2: {} } });
    await whileFull(() => pause(used.store, queue.keys));
    expect(await queue.read()).toMatchObject({ meta: { paused: '1' } });
    await whileFull(() => resume(used.store, queue.keys));
    expect(await queue.read()).toEqual({
      wait: ['2', '1'],
      1: jobHash({}),
      2: jobHash({}),
      meta: META,
      marker: [['0', 0]],
      events: [{ event: 'paused' }, { event: 'resumed' }],
    });
  });

  it('can remove, promote and run jobs again', async () => {
    await queue.seed({
      meta: META,
      wait: ['1'],
      delayed: { 2: 9e15 },
      failed: { 3: 1 },
      jobs: { 1: {}, 2: {}, 3: {} },
    });
    await whileFull(() => removeJob(used.store, queue.keys, { jobId: '1' }));
    await whileFull(() => promote(used.store, queue.keys, '2'));
    await whileFull(() => reprocessJob(used.store, queue.keys, { jobId: '3', state: 'failed' }));
    const dump = await queue.read();
    expect(dump.wait).toEqual(['3', '2']);
    expect(dump).not.toHaveProperty('1');
  });
});
