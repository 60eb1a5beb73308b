import { jobHash, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { activeJob } from '../../test/lease-rejections.js';
import { sessionReceipt } from '../../test/receipts.js';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { cancelJob } from './cancelJob.js';
import { extendLocks } from './extendLocks.js';
import { moveJobFromActiveToWait } from './moveJobFromActiveToWait.js';
import { moveStalledJobsToWait } from './moveStalledJobsToWait.js';
import { moveToActive } from './moveToActive.js';
import { moveToDelayed } from './moveToDelayed.js';
import { moveToFinished } from './moveToFinished.js';
import { moveToWaitingChildren } from './moveToWaitingChildren.js';
import { reprocessJob } from './reprocessJob.js';
import { retryJob } from './retryJob.js';

/** What becomes of a job that somebody asked to cancel while it ran, whatever comes first. */
const used = useStore();
const LEASE = { jobId: '1', token: 't1' };
const OPTS = { attempts: 5, backoff: 1_000 };
/** Not every word of a holder brings an instant along: the script asks the store then. */
const AT = expect.any(Number);

/** An active job with a request to cancel it. */
async function asked(more: QueueState = {}, job: Record<string, unknown> = {}): Promise<TestQueue> {
  const queue = used.queue();
  await queue.seed(activeJob({ opts: OPTS, processedOn: 5, ...job }, more));
  await cancelJob(used.store, queue.keys, { jobId: '1' }, NOW);
  return queue;
}

/** The queue after its end. */
const ended = (more: Record<string, unknown> = {}) => ({
  failed: [['1', AT]],
  1: {
    ...jobHash({ opts: OPTS, ats: 1, atm: 1, processedOn: 5, failedReason: 'cancelled' }),
    finishedOn: expect.any(String),
  },
  meta: META,
  events: [{ event: 'failed', jobId: '1', failedReason: 'cancelled', prev: 'active' }],
  ...more,
});

type Word = (queue: TestQueue, receipt?: ReturnType<typeof sessionReceipt>) => Promise<unknown>;
const finish =
  (target: 'completed' | 'failed', retry: 'DEFAULT' | 'NEVER'): Word =>
  (queue, receipt) =>
    moveToFinished(
      used.store,
      queue.keys,
      {
        jobId: '1',
        target,
        value: 'boom',
        fetchNext: false,
        options: { token: 't1', retry: { mode: retry }, ...(receipt ? { receipt } : {}) },
      },
      NOW,
    );

/** All that a holder can say. */
const WORDS: [string, Word][] = [
  ['complete', finish('completed', 'NEVER')],
  ['fail', finish('failed', 'DEFAULT')],
  ['fail for good', finish('failed', 'NEVER')],
  [
    'retry',
    (queue, receipt) =>
      retryJob(used.store, queue.keys, { ...LEASE, reason: 'x', ...(receipt && { receipt }) }, NOW),
  ],
  [
    'delay',
    (queue, receipt) => {
      const until = { until: { delayMs: 5_000 }, skipAttempt: true };
      const delay = { ...LEASE, ...until, ...(receipt && { receipt }) };
      return moveToDelayed(used.store, queue.keys, delay, NOW);
    },
  ],
  [
    'release',
    (queue, receipt) =>
      moveJobFromActiveToWait(used.store, queue.keys, { ...LEASE, ...(receipt && { receipt }) }),
  ],
  [
    'await children',
    (queue, receipt) =>
      moveToWaitingChildren(used.store, queue.keys, { ...LEASE, ...(receipt && { receipt }) }, NOW),
  ],
];

describe("a job that is to be cancelled ends with its holder's next word", () => {
  it.each(WORDS)('%s', async (word, say) => {
    const queue = await asked();
    const outcome = await say(queue);
    if (word === 'retry') expect(outcome).toBe('failed');
    else expect(outcome).toMatchObject({ branch: 'failed', attemptsMade: 1, retryDelayMs: 0 });
    const state = await queue.read();
    const drained = word === 'complete' || word.startsWith('fail');
    const { events } = ended();
    expect(state).toEqual(ended(drained ? { events: [...events, { event: 'drained' }] } : {}));
  });

  it.each(WORDS)('%s, and the same answer when it is said again', async (_, say) => {
    const queue = await asked();
    const receipt = sessionReceipt(queue);
    expect(await say(queue, receipt)).toMatchObject({ branch: 'failed', attemptsMade: 1 });
    const after = await queue.read();
    expect(await say(queue, receipt)).toMatchObject({ branch: 'failed', replays: 0 });
    expect(await queue.read()).toEqual(after);
  });

  it.each(WORDS)('%s, although children are pending or have failed', async (word, say) => {
    const queue = await asked({ '1:dependencies': ['c'], '1:unsuccessful': { d: 1 } });
    const outcome = await say(queue);
    if (word !== 'retry') expect(outcome).toMatchObject({ branch: 'failed' });
    expect(await queue.read()).toMatchObject({ failed: [['1', AT]] });
  });

  it.each(WORDS)('%s, and frees its slot', async (_, say) => {
    const bounded = { meta: { ...META, concurrency: 1 }, wait: ['2'] };
    const queue = await asked(bounded);
    await say(queue);
    expect((await queue.read()).marker).toEqual([['0', 0]]);
  });

  it('and the next job is fetched in the same step', async () => {
    const queue = await asked({ wait: ['2'] });
    await queue.seed({ jobs: { 2: {} } });
    const options = { token: 't1', nextToken: 't2', lockDuration: 30_000 };
    const how = { jobId: '1', target: 'completed' as const, value: '1', fetchNext: true, options };
    const finished = await moveToFinished(used.store, queue.keys, how, NOW);
    expect(finished).toMatchObject({ branch: 'failed', next: { kind: 'job', job: { id: '2' } } });
    expect(await queue.read()).toMatchObject({ active: ['2'], failed: [['1', NOW]] });
  });

  it('and counts in the metrics, if those are kept', async () => {
    const queue = await asked();
    const release = { ...LEASE, maxMetricsSize: 10 };
    await moveJobFromActiveToWait(used.store, queue.keys, release);
    expect(await queue.read()).toMatchObject({ 'metrics:failed': { count: '1' } });
  });
});

describe('without a word from its holder', () => {
  it('the sweep fails it, and puts it back no more', async () => {
    const queue = await asked({ locks: {} });
    const sweep = { maxStalledCount: 9, stalledInterval: 30_000 };
    const outcome = await moveStalledJobsToWait(used.store, queue.keys, sweep, NOW);
    expect(outcome).toMatchObject({ recovered: [], failed: ['1'] });
    const state = await queue.read();
    expect(state).toMatchObject({
      failed: [['1', NOW]],
      1: { failedReason: 'cancelled', stc: '1', atm: '1' },
    });
    expect(state.wait).toBeUndefined();
    expect(eventLines(state)).toEqual([
      'event=failed jobId=1 failedReason=cancelled prev=active',
      'event=stalled jobId=1',
    ]);
  });

  it('a renewal still renews, and says that it was asked for', async () => {
    const queue = await asked();
    await queue.seed({ jobs: { 2: {} }, locks: { 2: 't2' } });
    const leases = ['1', '2'].map((id) => ({ id, token: `t${id}`, lockDuration: 60_000 }));
    const renew = () => extendLocks(used.store, queue.keys, leases);
    expect(await renew()).toEqual(['CANCEL_REQUESTED', 'EXTENDED']);
    expect((await queue.readTtls())['1:lock']).toBeGreaterThan(50_000);
    // Once the request has lapsed nobody is told any more; the job still ends with the next word.
    await used.redis.client.del(queue.key('meta:cancel:1'));
    expect(await renew()).toEqual(['EXTENDED', 'EXTENDED']);
    expect(await finish('completed', 'NEVER')(queue)).toMatchObject({ branch: 'failed' });
  });

  it.each([
    ['wait', { wait: ['1'] }],
    ['delayed', { delayed: { 1: 4096 } }],
    ['prioritized', { prioritized: { 1: 5 } }],
  ])('put into %s by a peer that knows of no cancels, the next fetch ends it', async (_, where) => {
    const queue = await asked();
    await queue.seed({ active: [], stalled: [], ...where });
    await used.redis.client.del(queue.key('1:lock'));
    const worker = { token: 't2', lockDuration: 30_000 };
    const fetched = await moveToActive(used.store, queue.keys, worker, NOW);
    expect(fetched).toEqual({ kind: 'idle' });
    const state = await queue.read();
    expect(state).toMatchObject({ failed: [['1', NOW]], 1: { failedReason: 'cancelled' } });
    expect(state).not.toHaveProperty('meta:cancel:1');
  });
});

describe('a request that its run has outlived', () => {
  it('does not touch the next run', async () => {
    const queue = await asked();
    // A peer has completed it, and somebody runs it again.
    await queue.seed({ active: [], stalled: [], completed: { 1: NOW } });
    await used.redis.client.del(queue.key('1:lock'));
    await reprocessJob(used.store, queue.keys, { jobId: '1', state: 'completed' });
    const worker = { token: 't2', lockDuration: 30_000 };
    const fetched = await moveToActive(used.store, queue.keys, worker, NOW);
    expect(fetched).toMatchObject({ kind: 'job', job: { id: '1' } });
    expect((await queue.read())['1']).not.toHaveProperty('echomq.cancel');
    const lease = { id: '1', token: 't2', lockDuration: 30_000 };
    expect(await extendLocks(used.store, queue.keys, [lease])).toEqual(['EXTENDED']);
    const how = { jobId: '1', target: 'completed' as const, value: '1', fetchNext: false };
    const options = { token: 't2' };
    const finished = await moveToFinished(used.store, queue.keys, { ...how, options }, NOW);
    expect(finished.branch).toBe('completed');
  });

  it('nor one that a peer has begun', async () => {
    const queue = await asked({}, {});
    await queue.seed({ jobs: { 1: { opts: OPTS, processedOn: 6, 'echomq.cancel': '5' } } });
    expect(await finish('failed', 'DEFAULT')(queue)).toMatchObject({ branch: 'delayed' });
  });
});
