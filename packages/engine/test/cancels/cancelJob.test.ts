import { Disposition, JobState, LeaseStatus } from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import { every, upsertOf } from '../scheduling/schedule-requests.js';
import { complete, fail, fetchOf, finishOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';
import { cancelJob } from './cancel-requests.js';

const used = useEngine({ sweep: { stalledIntervalMs: 200 }, metrics: { maxDataPoints: 10 } });
const FAILED = { delivered: true, state: JobState.FAILED };
const ASKED = { delivered: true, state: JobState.ACTIVE };

describe('CancelJob fails at once', () => {
  test.each([
    ['a waiting job', { wait: ['1'] }],
    ['a delayed job', { delayed: { 1: 9e15 } }],
    ['a job with a priority', { prioritized: { 1: 5 } }],
    ['a parent', { 'waiting-children': { 1: 5 } }],
  ])('%s', async (_, where) => {
    const queue = used.queue();
    await queue.seed({ ...where, jobs: { 1: { opts: { attempts: 3 } } } });
    expect(await cancelJob(used.engine, queue, '1')).toEqual(FAILED);
    expect(await queue.read()).toMatchObject({
      failed: [['1', expect.any(Number)]],
      1: { failedReason: 'cancelled', atm: '0' },
      'metrics:failed': { count: '1' },
    });
    const { jobs } = await used.engine.services.worker.fetchJobs(fetchOf(queue), patient);
    expect(jobs).toEqual([]);
  });

  test('the next run of a schedule, which goes on with the one after it', async () => {
    const queue = used.queue();
    const { scheduler, worker } = used.engine.services;
    const startAt = new Date(Date.now() + 400);
    const upsert = upsertOf(queue, every(2_000, { startAt }));
    const { nextJobId } = await scheduler.upsertScheduler(upsert, patient);
    expect(await cancelJob(used.engine, queue, nextJobId)).toEqual(FAILED);
    const { jobs } = await worker.fetchJobs(fetchOf(queue, { wait: seconds(15) }), patient);
    const slot = Number(jobs[0]?.lease?.jobId.split(':').at(-1));
    expect((slot - startAt.getTime()) % 2_000).toBe(0);
    expect(slot).toBeGreaterThan(startAt.getTime());
  });
});

describe('CancelJob refuses', () => {
  test('a job that is not there', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    for (const id of ['2', 'meta']) {
      const refusal = await refused(cancelJob(used.engine, queue, id));
      expect(refusal).toMatchObject({ code: 'NOT_FOUND', reason: 'JOB_NOT_FOUND' });
    }
  });

  test.each(['completed', 'failed'])('a job that has %s, and says so', async (state) => {
    const queue = used.queue();
    await queue.seed({ jobs: { 1: {} }, [state]: { 1: 5 } });
    const expected = 'WAITING or PRIORITIZED or DELAYED or ACTIVE or WAITING_CHILDREN';
    expect(await refused(cancelJob(used.engine, queue, '1', { force: true }))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'JOB_NOT_IN_STATE',
      metadata: { actual: state.toUpperCase(), expected },
    });
  });
});

describe('a holder without a stream', () => {
  const taken = async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: { opts: { attempts: 5, backoff: 5 } } } });
    const { jobs } = await used.engine.services.worker.fetchJobs(fetchOf(queue), patient);
    return { queue, job: jobs[0] };
  };
  const renew = async (lease: NonNullable<Awaited<ReturnType<typeof taken>>['job']>['lease']) => {
    const leases = lease ? [lease] : [];
    const request = { worker: undefined, leases, lockDuration: undefined, load: undefined };
    const answer = await used.engine.services.worker.extendLocks(request, patient);
    return answer.leases[0];
  };

  test('learns it with its next renewal, which still renews', async () => {
    const { queue, job } = await taken();
    expect((await renew(job?.lease))?.status).toBe(LeaseStatus.EXTENDED);
    expect(await cancelJob(used.engine, queue, '1')).toEqual(ASKED);
    for (let times = 0; times < 2; times++) {
      expect(await renew(job?.lease)).toMatchObject({
        status: LeaseStatus.CANCEL_REQUESTED,
        lockTtl: seconds(30),
      });
    }
  });

  test.each([
    ['complete', complete('1')],
    ['fail', fail('boom')],
    ['release', { $case: 'release', value: { toFront: true } }],
    ['rate limited', { $case: 'rateLimited', value: { duration: seconds(0.001) } }],
    ['delay', { $case: 'delay', value: { due: undefined, skipAttempt: true } }],
    ['await children', { $case: 'awaitChildren', value: {} }],
  ] as const)('ends it, whatever it says: %s', async (_, kind) => {
    const { queue, job } = await taken();
    await cancelJob(used.engine, queue, '1');
    const due = { $case: 'delay', value: seconds(1) } as const;
    const said = kind.$case === 'delay' ? { ...kind, value: { ...kind.value, due } } : kind;
    const request = finishOf(job, said, { requestId: `r-${kind.$case}` });
    const { result } = await used.engine.services.worker.finishJob(request, patient);
    const failed = { disposition: Disposition.FAILED, attemptsMade: 1, retryIn: undefined };
    expect(result).toEqual({ ...failed, replayed: false });
    expect(await queue.read()).toMatchObject({
      failed: [['1', expect.any(Number)]],
      1: { failedReason: 'cancelled', atm: '1' },
    });
    expect(await queue.read()).not.toHaveProperty('meta:cancel:1');
    const again = await used.engine.services.worker.finishJob(request, patient);
    expect(again.result).toEqual({ ...failed, replayed: true });
  });

  test('that is gone: the sweep fails the job instead of giving it to another', async () => {
    const { queue } = await taken();
    await cancelJob(used.engine, queue, '1');
    await used.redis.client.del(queue.key('1:lock'));
    await expect.poll(() => queue.read()).toMatchObject({ 1: { failedReason: 'cancelled' } });
    expect(await queue.read()).not.toHaveProperty('wait');
  });

  test('of another kind is not reached, and a forced cancel takes the job from it', async () => {
    const queue = used.queue();
    const lock = { 1: '5f0c6b8a-1111-4222-8333-444455556666:7' };
    await queue.seed({ active: ['1'], jobs: { 1: { processedOn: 5 } }, locks: lock });
    const nobody = { delivered: false, state: JobState.ACTIVE };
    expect(await cancelJob(used.engine, queue, '1')).toEqual(nobody);
    expect(await cancelJob(used.engine, queue, '1', { force: true })).toEqual(FAILED);
    expect(await queue.read()).toMatchObject({ failed: [['1', expect.any(Number)]] });
    expect(await queue.read()).not.toHaveProperty('1:lock');
  });
});
