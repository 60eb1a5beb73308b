import { Disposition, EmptyReason, RetryMode } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { unswept } from '../receipts/proxied-engine.js';
import { complete, fail, fetchOf, finishOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';

const used = useEngine();
const api = () => used.engine.services.worker;

/** A queue whose first job is held, the others wait. */
async function held(opts: object = {}, more: readonly string[] = []) {
  const queue = used.queue();
  const { jobs, wait } = waiting('1', ...more);
  await queue.seed({ jobs: { ...jobs, '1': { data: 1, opts } }, wait });
  const { jobs: taken } = await api().fetchJobs(fetchOf(queue), patient);
  return { queue, job: taken[0] };
}

const where = async (queue: FreshQueue, id = '1') => {
  const state = await queue.read();
  const has = (value: unknown): boolean =>
    Array.isArray(value) && value.some((item) => (Array.isArray(item) ? item[0] : item) === id);
  return ['wait', 'prioritized', 'delayed', 'active', 'completed', 'failed'].filter((key) =>
    has(state[key]),
  );
};

describe('outcomes', () => {
  test('complete: the result is stored byte for byte; empty is null', async () => {
    const one = await held();
    const json = '{"b": 1.50, "a": "\\u00e9"}';
    const { result } = await api().finishJob(finishOf(one.job, complete(json)), patient);
    expect(result).toMatchObject({ disposition: Disposition.COMPLETED, attemptsMade: 1 });
    expect(await one.queue.read()).toMatchObject({ '1': { returnvalue: json } });
    expect(await where(one.queue)).toEqual(['completed']);
    const two = await held();
    await api().finishJob(finishOf(two.job, complete()), patient);
    expect(await two.queue.read()).toMatchObject({ '1': { returnvalue: 'null' } });
  });

  test('fail: the job decides whether it runs again', async () => {
    const final = await held();
    const failure = fail('boom', { errorName: 'TypeError', stack: ['  at x'] });
    const end = await api().finishJob(finishOf(final.job, failure), patient);
    expect(end.result).toMatchObject({ disposition: Disposition.FAILED, attemptsMade: 1 });
    expect(await final.queue.read()).toMatchObject({
      '1': { failedReason: 'boom', stacktrace: JSON.stringify(['TypeError: boom\n  at x']) },
    });
    const queued = await held({ attempts: 2 });
    const again = await api().finishJob(finishOf(queued.job, fail('boom')), patient);
    expect(again.result).toMatchObject({ disposition: Disposition.RETRY_QUEUED, attemptsMade: 1 });
    expect(await where(queued.queue)).toEqual(['wait']);
    const later = await held({ attempts: 2, backoff: { type: 'fixed', delay: 5_000 } });
    const scheduled = await api().finishJob(finishOf(later.job, fail('boom')), patient);
    expect(scheduled.result).toMatchObject({
      disposition: Disposition.RETRY_SCHEDULED,
      retryIn: seconds(5),
    });
    expect(await where(later.queue)).toEqual(['delayed']);
  });

  test('fail: the worker may say never, or name the delay', async () => {
    const never = await held({ attempts: 5 });
    const failure = fail('boom', { retry: RetryMode.NEVER });
    const end = await api().finishJob(finishOf(never.job, failure), patient);
    expect(end.result?.disposition).toBe(Disposition.FAILED);
    const later = await held({ attempts: 5 });
    const delayed = fail('boom', { retryDelay: seconds(7) });
    const scheduled = await api().finishJob(finishOf(later.job, delayed), patient);
    expect(scheduled.result?.retryIn).toEqual(seconds(7));
  });

  test('fail: texts are cut to what is kept', async () => {
    const { queue, job } = await held();
    const failure = fail('é'.repeat(5_000), { stack: ['x'.repeat(20_000)] });
    await api().finishJob(finishOf(job, failure), patient);
    const stored = (await queue.read())['1'] as Record<string, string>;
    expect(Buffer.byteLength(stored.failedReason ?? '')).toBeLessThanOrEqual(4_096);
    expect(Buffer.byteLength(stored.stacktrace ?? '')).toBeLessThanOrEqual(8_200);
  });

  test('release: to the front or the back, no attempt counted', async () => {
    const front = await held({}, ['2']);
    const release = (toFront: boolean) => ({ $case: 'release', value: { toFront } }) as const;
    const end = await api().finishJob(finishOf(front.job, release(true)), patient);
    expect(end.result?.disposition).toBe(Disposition.RELEASED);
    expect(await front.queue.read()).toMatchObject({ wait: ['2', '1'] });
    const back = await held({}, ['2']);
    await api().finishJob(finishOf(back.job, release(false)), patient);
    const state = await back.queue.read();
    expect(state).toMatchObject({ wait: ['1', '2'] });
    expect(state['1']).not.toHaveProperty('atm');
  });

  test('delay: for a span, until an instant, with or without an attempt', async () => {
    const span = await held();
    const delay = (skipAttempt: boolean) =>
      ({
        $case: 'delay',
        value: { due: { $case: 'delay', value: seconds(60) }, skipAttempt },
      }) as const;
    const end = await api().finishJob(finishOf(span.job, delay(true)), patient);
    expect(end.result).toMatchObject({
      disposition: Disposition.DELAYED,
      attemptsMade: 0,
      retryIn: seconds(60),
    });
    const counted = await held();
    const counts = await api().finishJob(finishOf(counted.job, delay(false)), patient);
    expect(counts.result?.attemptsMade).toBe(1);
    const instant = await held();
    const at = new Date(Date.now() + 100_000);
    const until = { due: { $case: 'until', value: at }, skipAttempt: true } as const;
    await api().finishJob(finishOf(instant.job, { $case: 'delay', value: until }), patient);
    const [[, score] = []] = (await instant.queue.read()).delayed as [string, number][];
    expect(Math.floor((score ?? 0) / 4_096)).toBe(at.getTime());
  });

  test('rate limited: back to the front, and the queue is held', async () => {
    const { queue, job } = await held({}, ['2']);
    const limited = { $case: 'rateLimited', value: { duration: seconds(5) } } as const;
    await api().finishJob(finishOf(job, limited), patient);
    expect(await queue.read()).toMatchObject({ wait: ['2', '1'], limiter: '9007199254740991' });
    const { emptyReason } = await api().fetchJobs(fetchOf(queue), patient);
    expect(emptyReason).toBe(EmptyReason.RATE_LIMITED);
  });

  test('await children: parked while one is pending, else run again', async () => {
    const parked = await held();
    await parked.queue.seed({ '1:dependencies': ['bull:q:child'] });
    const await_ = { $case: 'awaitChildren', value: {} } as const;
    const end = await api().finishJob(finishOf(parked.job, await_), patient);
    expect(end.result?.disposition).toBe(Disposition.WAITING_CHILDREN);
    const none = await held();
    const again = await api().finishJob(finishOf(none.job, await_), patient);
    expect(again.result?.disposition).toBe(Disposition.RELEASED);
    expect(await where(none.queue)).toEqual(['wait']);
  });

  test('a complete with pending children is refused, and the lock stays', async () => {
    const { queue, job } = await held();
    await queue.seed({ '1:dependencies': ['bull:q:child'] });
    const before = await unswept(queue);
    expect(await refused(api().finishJob(finishOf(job, complete()), patient))).toMatchObject({
      reason: 'JOB_HAS_PENDING_CHILDREN',
    });
    expect(await unswept(queue)).toEqual(before);
  });
});

describe('progress and logs', () => {
  const note = { progress: Buffer.from('50'), logs: ['a', 'b'] };

  test.each([
    ['complete', complete('1')],
    ['fail', fail('x')],
    ['release', { $case: 'release', value: { toFront: true } } as const],
    [
      'delay',
      {
        $case: 'delay',
        value: { due: { $case: 'delay', value: seconds(60) }, skipAttempt: false },
      } as const,
    ],
  ])('%s takes them along', async (_name, outcome) => {
    const { queue, job } = await held();
    await api().finishJob(finishOf(job, outcome, note), patient);
    expect(await queue.read()).toMatchObject({ '1': { progress: '50' }, '1:logs': ['a', 'b'] });
  });

  test('are fenced, also apart', async () => {
    const { queue, job } = await held();
    if (!job?.lease) throw new Error('no job');
    const { lease } = job;
    await api().updateProgress({ lease, progress: Buffer.from('{"at":1}') }, patient);
    const logs = { lease, lines: ['x'], keep: undefined, requestId: '' };
    expect(await api().appendLogs(logs, patient)).toEqual({ total: 1 });
    await api().updateJobData({ lease, data: Buffer.from('[2]') }, patient);
    expect(await queue.read()).toMatchObject({
      '1': { progress: '{"at":1}', data: '[2]' },
      '1:logs': ['x'],
    });
    const before = await unswept(queue);
    const thief = { ...lease, leaseToken: 'thief' };
    const calls = [
      () => api().updateProgress({ lease: thief, progress: Buffer.from('1') }, patient),
      () => api().appendLogs({ ...logs, lease: thief }, patient),
      () => api().updateJobData({ lease: thief, data: Buffer.from('1') }, patient),
      () => api().finishJob(finishOf({ ...job, lease: thief }, complete()), patient),
    ];
    for (const call of calls) {
      expect(await refused(call())).toMatchObject({ reason: 'LOCK_NOT_OWNED' });
    }
    expect(await unswept(queue)).toEqual(before);
  });
});

describe('bad input changes nothing', () => {
  test.each([
    ['no outcome', {}, { outcome: undefined }, 'outcome'],
    ['no lease', {}, { lease: undefined }, 'lease'],
    ['no token', { leaseToken: '' }, {}, 'lease.lease_token'],
    ['the token 0', { leaseToken: '0' }, {}, 'lease.lease_token'],
    ['no id', { jobId: '' }, {}, 'lease.job_id'],
    ['a result that is no JSON', {}, { outcome: { kind: complete('{') } }, undefined],
    ['a progress that is no JSON', {}, { progress: Buffer.from('x') }, 'progress'],
    ['too many lines', {}, { logs: Array(101).fill('x') }, 'logs'],
  ])('%s', async (_name, lease, more, field) => {
    const { queue, job } = await held();
    const before = await unswept(queue);
    const request = finishOf(job, complete());
    const changed = {
      ...request,
      lease: request.lease && { ...request.lease, ...lease },
      ...(more as object),
    };
    const error = await refused(api().finishJob(changed, patient));
    expect(error.code).toBe('INVALID_ARGUMENT');
    if (field) expect(error.metadata.field).toBe(field);
    expect(await unswept(queue)).toEqual(before);
  });

  test('a job that is not active, or is gone', async () => {
    const { queue, job } = await held();
    await api().finishJob(finishOf(job, complete()), patient);
    const before = await unswept(queue);
    expect(await refused(api().finishJob(finishOf(job, complete()), patient))).toMatchObject({
      reason: 'LOCK_LOST',
    });
    const gone = finishOf(job, complete());
    const request = { ...gone, lease: gone.lease && { ...gone.lease, jobId: 'gone' } };
    expect(await refused(api().finishJob(request, patient))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'JOB_NOT_FOUND',
    });
    expect(await unswept(queue)).toEqual(before);
  });
});
