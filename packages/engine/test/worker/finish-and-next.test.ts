import { EmptyReason, type FetchNext } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { complete, fail, fetchOf, finishOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';

const used = useEngine();
const api = () => used.engine.services.worker;
const next = (more: Partial<FetchNext> = {}): FetchNext => ({
  maxJobs: 0,
  wait: undefined,
  lockDuration: undefined,
  maxResponseBytes: 0,
  rateLimit: undefined,
  ...more,
});

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

describe('the next job', () => {
  test('comes in the same step, under a token of its own', async () => {
    const { queue, job } = await held({}, ['2', '3']);
    const request = finishOf(job, complete(), { fetchNext: next() });
    const { next: jobs } = await api().finishJob(request, patient);
    expect(jobs.map(({ lease }) => lease?.jobId)).toEqual(['2']);
    expect(jobs[0]?.lease?.leaseToken).not.toBe(job?.lease?.leaseToken);
    expect(await queue.read()).toMatchObject({ active: ['2'], wait: ['3'] });
  });

  test('and more, if more are asked for', async () => {
    const { job } = await held({}, ['2', '3', '4']);
    const request = finishOf(job, fail('x'), { fetchNext: next({ maxJobs: 3 }) });
    const { next: jobs } = await api().finishJob(request, patient);
    expect(jobs.map(({ lease }) => lease?.jobId)).toEqual(['2', '3', '4']);
  });

  test('also after outcomes whose script fetches none', async () => {
    const { job } = await held({}, ['2']);
    const release = { $case: 'release', value: { toFront: false } } as const;
    const request = finishOf(job, release, { fetchNext: next() });
    const { next: jobs } = await api().finishJob(request, patient);
    expect(jobs.map(({ lease }) => lease?.jobId)).toEqual(['2']);
  });

  test('nothing there is no error; a wait holds the answer back', async () => {
    const empty = await held();
    const none = finishOf(empty.job, complete(), { fetchNext: next() });
    expect(await api().finishJob(none, patient)).toMatchObject({
      next: [],
      emptyReason: EmptyReason.EMPTY,
    });
    const { queue, job } = await held();
    const wait = next({ wait: seconds(10) });
    const waits = api().finishJob(finishOf(job, complete(), { fetchNext: wait }), patient);
    await expect.poll(() => where(queue)).toEqual(['completed']);
    await queue.seed({ ...waiting('2'), marker: [['0', 0]] });
    expect((await waits).next.map(({ lease }) => lease?.jobId)).toEqual(['2']);
  });

  test('is not taken when the finish is refused', async () => {
    const { queue, job } = await held({}, ['2']);
    const thief = job && { ...job, lease: job.lease && { ...job.lease, leaseToken: 'thief' } };
    const before = await queue.read();
    await refused(api().finishJob(finishOf(thief, complete(), { fetchNext: next() }), patient));
    expect(await queue.read()).toEqual(before);
  });
});

describe('FinishJobs', () => {
  test('each item has its own answer, in order', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3', '4'));
    const { jobs } = await api().fetchJobs(fetchOf(queue, { maxJobs: 3 }), patient);
    const item = (job: (typeof jobs)[number] | undefined, outcome = complete('1')) => ({
      lease: job?.lease,
      outcome: { kind: outcome },
      progress: Buffer.alloc(0),
      logs: [],
    });
    const { results, next: more } = await api().finishJobs(
      {
        items: [
          item(jobs[0]),
          item(jobs[0]),
          item(jobs[1], fail('x')),
          item(jobs[2], complete('{')),
        ],
        fetchNext: next(),
        requestId: '',
        worker: undefined,
      },
      patient,
    );
    expect(results.map(({ outcome }) => outcome?.$case)).toEqual([
      'result',
      'error',
      'result',
      'error',
    ]);
    expect(more.map(({ lease }) => lease?.jobId)).toEqual(['4']);
    expect(await queue.read()).toMatchObject({ active: ['4', '3'] });
  });

  test('none, and more than 100, are refused', async () => {
    const request = { items: [], fetchNext: undefined, requestId: '', worker: undefined };
    expect(await refused(api().finishJobs(request, patient))).toMatchObject({
      metadata: { field: 'items' },
    });
  });
});

describe('ExtendLocks', () => {
  test('each lease has its own answer; a bad one fails alone', async () => {
    const { queue, job } = await held({}, ['2']);
    const lease = job?.lease;
    if (!lease) throw new Error('no lease');
    const request = {
      worker: undefined,
      leases: [
        lease,
        { ...lease, leaseToken: 'thief' },
        { ...lease, jobId: '2' },
        { ...lease, jobId: 'gone' },
        { ...lease, leaseToken: '' },
      ],
      lockDuration: seconds(60),
      load: undefined,
    };
    const answer = await api().extendLocks(request, patient);
    expect(answer.leases.map(({ status }) => status)).toEqual([1, 3, 2, 4, 2]);
    expect(answer.leases[0]?.lockTtl).toEqual(seconds(60));
    expect(answer.heartbeatInterval).toEqual(seconds(20));
    expect((await queue.readTtls())['1:lock']).toBeGreaterThan(55_000);
  });
});
