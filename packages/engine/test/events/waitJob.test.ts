import { JobState, WaitJobRequest } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../src/service.js';
import { complete, fail, fetchOf, finishOf, useEngine, waiting } from '../use-engine.js';
import { frozen, patient, refused } from '../use-services.js';

const used = useEngine();
type Part = Parameters<typeof WaitJobRequest.fromPartial>[0];
const LONG = { seconds: 20, nanos: 0 };

function wait(queue: FreshQueue, jobId: string, part: Part = {}, context?: CallContext) {
  const whole = { queue: queue.name, jobId, includeResult: true, ...part };
  const request = frozen(WaitJobRequest.fromPartial(whole));
  // Each caller has a signal of its own.
  const own = { signal: new AbortController().signal };
  return used.engine.services.producer.waitJob(request, context ?? own);
}

/** Takes the next job and ends it. */
async function run(queue: FreshQueue, kind = complete('{"a": 1.0}')): Promise<void> {
  const { worker } = used.engine.services;
  const { jobs } = await worker.fetchJobs(fetchOf(queue, { wait: LONG }), patient);
  await worker.finishJob(finishOf(jobs[0], kind), patient);
}

const unfinished = (state: JobState) => ({
  state,
  finished: false,
  returnValue: Buffer.alloc(0),
  failedReason: '',
  finishedAt: undefined,
});

describe('WaitJob', () => {
  it('tells at once of a job that has ended, and without a wait of one that has not', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    expect(await wait(queue, '1')).toEqual(unfinished(JobState.WAITING));
    await run(queue);
    expect(await wait(queue, '1', { wait: LONG })).toEqual({
      state: JobState.COMPLETED,
      finished: true,
      returnValue: Buffer.from('{"a": 1.0}'),
      failedReason: '',
      finishedAt: expect.any(Date),
    });
    expect((await wait(queue, '1', { includeResult: false })).returnValue).toEqual(Buffer.alloc(0));
    await run(queue, fail('no luck'));
    expect(await wait(queue, '2')).toMatchObject({
      state: JobState.FAILED,
      finished: true,
      failedReason: 'no luck',
    });
  });

  it('wakes when the job ends after the call', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const done = wait(queue, '1', { wait: LONG });
    const failed = wait(queue, '2', { wait: LONG });
    await run(queue);
    expect(await done).toMatchObject({ state: JobState.COMPLETED, finished: true });
    await run(queue, fail('no luck'));
    expect(await failed).toMatchObject({ state: JobState.FAILED, failedReason: 'no luck' });
  });

  it('brings the result of a job that is removed as it ends', async () => {
    const queue = used.queue();
    const ids = Array.from({ length: 30 }, (_, i) => `j${i}`);
    const jobs = Object.fromEntries(
      ids.map((id) => [id, { opts: { attempts: 0, removeOnComplete: true } }]),
    );
    await queue.seed({ jobs: jobs as never, wait: [...ids].reverse() });
    const waits = ids.map((id) => wait(queue, id, { wait: LONG }));
    await Promise.all(ids.map((id) => run(queue, complete(`"of ${id}"`))));
    const ended = await Promise.all(waits.map((one) => one.catch((error) => error)));
    expect(ended.every((one) => one.finished && one.state === JobState.COMPLETED)).toBe(true);
    expect(ended.map((one) => JSON.parse(one.returnValue)).sort()).toEqual(
      ids.map((id) => `of ${id}`).sort(),
    );
    expect((await refused(wait(queue, 'j0'))).reason).toBe('JOB_NOT_FOUND');
  });

  it('knows neither an unknown job nor one that is removed meanwhile', async () => {
    const queue = used.queue();
    expect((await refused(wait(queue, 'gone', { wait: LONG }))).reason).toBe('JOB_NOT_FOUND');
    await queue.seed(waiting('1'));
    const removed = refused(wait(queue, '1', { wait: LONG }));
    const request = { queue: queue.name, jobId: '1', force: false, allowMissing: false };
    await used.engine.services.queue.removeJob({ ...request, removeChildren: false }, patient);
    expect((await removed).reason).toBe('JOB_NOT_FOUND');
  });

  it('is not told of an end from before, when the job runs again', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const other = wait(queue, '2', { wait: LONG });
    await run(queue);
    const retry = { queue: queue.name, jobId: '1', state: JobState.COMPLETED };
    await used.engine.services.queue.retryJob({ ...retry, resetAttempts: false }, patient);
    const again = await wait(queue, '1', { wait: { seconds: 0, nanos: 2e8 } });
    expect(again).toEqual(unfinished(JobState.WAITING));
    await run(queue);
    await other;
  });

  it('answers with where the job is when the time is up, the deadline near, or the engine drains', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    const begin = performance.now();
    const brief = await wait(queue, '1', { wait: { seconds: 0, nanos: 5e7 } });
    const context = { signal: patient.signal, deadline: Date.now() + 600 };
    const late = await wait(queue, '1', { wait: LONG }, context);
    expect([brief, late]).toEqual([unfinished(JobState.WAITING), unfinished(JobState.WAITING)]);
    const engine = await used.another();
    const request = WaitJobRequest.fromPartial({ queue: queue.name, jobId: '1', wait: LONG });
    const drained = engine.services.producer.waitJob(request, patient);
    await engine.drain({ timeoutMs: 100 });
    expect(await drained).toEqual(unfinished(JobState.WAITING));
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  it('serves 200 waits at once on one connection, and holds none after them', async () => {
    const queue = used.queue();
    const ids = Array.from({ length: 200 }, (_, i) => `j${i}`);
    await queue.seed(waiting(...ids));
    const before = await connections();
    const waits = ids.map((id) => wait(queue, id, { wait: LONG }));
    const { worker } = used.engine.services;
    const between = await connections();
    const running = Array.from({ length: 4 }, async () => {
      for (;;) {
        const { jobs } = await worker.fetchJobs(fetchOf(queue, { maxJobs: 25 }), patient);
        if (jobs.length === 0) return;
        await Promise.all(jobs.map((job) => worker.finishJob(finishOf(job, complete()), patient)));
      }
    });
    await Promise.all(running);
    const ended = await Promise.all(waits);
    expect(ended.filter(({ finished }) => finished)).toHaveLength(200);
    expect(between - before).toBeLessThanOrEqual(1);
  });

  it.each<[string, Part, string]>([
    ['no id', { jobId: '' }, 'job_id'],
    ['a colon in the queue', { queue: 'a:b' }, 'queue'],
    ['a wait too long', { wait: { seconds: 61, nanos: 0 } }, 'wait'],
    ['a negative wait', { wait: { seconds: -1, nanos: 0 } }, 'wait'],
  ])('refuses %s', async (_, part, field) => {
    expect(await refused(wait(used.queue(), '1', part))).toMatchObject({
      reason: 'INVALID_FIELD',
      metadata: { field },
    });
  });
});

async function connections(): Promise<number> {
  const info = await used.redis.client.info('clients');
  return Number(/connected_clients:(\d+)/.exec(info)?.[1] ?? 0);
}
