import {
  AddJobRequest,
  JobState,
  msToDuration,
  RetryJobsRequest,
  RetryMode,
} from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { every, upsertOf } from '../scheduling/schedule-requests.js';
import { complete, fail, fetchOf, finishOf, useEngine } from '../use-engine.js';
import { frozen, patient } from '../use-services.js';

const used = useEngine();
const services = () => used.engine.services;

/** What Lua's JSON would spoil: an empty list, a null, a slash, 17 digits, white space; and what nobody here knows. */
const ODD = '"mine": [1.10, {}, [], null, "a\\/b", 12345678901234567890],"tm":"t"';
const OPTS = `{ "attempts" : 3, ${ODD} , "backoff":{"type":"fixed","delay":1}}`;

async function optsOf(queue: FreshQueue, id: string): Promise<string> {
  return ((await queue.read())[id] as Record<string, string>).opts ?? '';
}

async function take(queue: FreshQueue) {
  const wait = { seconds: 10, nanos: 0 };
  const { jobs } = await services().worker.fetchJobs(fetchOf(queue, { wait }), patient);
  return jobs[0];
}

it('the options of a foreign producer stay byte for byte on every way that a job can go', async () => {
  const queue = used.queue();
  await queue.seed({ wait: ['7'], jobs: { 7: { opts: OPTS } }, meta: { x: '1' } });
  const job = { queue: queue.name, jobId: '7' };
  const { queue: admin, worker } = services();
  const end = async (kind: Parameters<typeof finishOf>[1]) =>
    worker.finishJob(finishOf(await take(queue), kind), patient);
  const again = { ...job, state: JobState.FAILED, resetAttempts: true };
  const bulk = RetryJobsRequest.fromPartial({ queue: queue.name, resetAttempts: true });
  const delay = { $case: 'delay' as const, value: msToDuration(50) };
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['a retry after its backoff', () => end(fail('1'))],
    ['a retry at once', () => end(fail('2', { retryDelay: msToDuration(0) }))],
    ['a delay', () => end({ $case: 'delay', value: { due: delay, skipAttempt: true } })],
    ['a release', () => end({ $case: 'release', value: { toFront: true } })],
    ['a final failure', () => end(fail('3'))],
    ['a retry by hand', () => admin.retryJob(again, patient)],
    ['a failure for good', () => end(fail('4', { retry: RetryMode.NEVER }))],
    ['a retry in bulk', () => admin.retryJobs(frozen(bulk), patient)],
    [
      'another priority',
      () => admin.updateJobPriority({ ...job, priority: 5, lifo: false }, patient),
    ],
    ['success', () => end(complete())],
    ['a run anew', () => admin.retryJob({ ...again, state: JobState.COMPLETED }, patient)],
  ];
  for (const [step, go] of steps) {
    await go();
    expect([step, await optsOf(queue, '7')]).toEqual([step, OPTS]);
  }
});

it('what a producer adds to the options comes with each run of a schedule', async () => {
  const queue = used.queue();
  const extraOptsJson = Buffer.from(`{${ODD}}`);
  const template = { name: 'n', options: { attempts: 2, extraOptsJson } };
  const schedule = every(60_000, { immediately: true });
  await services().scheduler.upsertScheduler(upsertOf(queue, schedule, { template }), patient);
  const first = await take(queue);
  const ids = Object.keys(await queue.read()).filter((key) => /^repeat:s:\d+$/.test(key));
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(await optsOf(queue, id)).toContain(ODD);
  await services().worker.finishJob(finishOf(first, complete()), patient);
});

it('and with the add that is kept until the owner of a deduplication id has ended', async () => {
  const queue = used.queue();
  const add = () =>
    services().producer.addJob(
      frozen(
        AddJobRequest.fromPartial({
          queue: queue.name,
          name: 'n',
          options: {
            deduplication: { id: 'd', keepLastIfActive: true },
            extraOptsJson: Buffer.from(`{${ODD}}`),
          },
        }),
      ),
      patient,
    );
  await add();
  const first = await take(queue);
  await add();
  const kept = ((await queue.read())['dn:d'] as Record<string, string>).opts;
  expect(kept).toContain(ODD);
  await services().worker.finishJob(finishOf(first, complete()), patient);
  const [next = ''] = (await queue.read()).wait as string[];
  expect(await optsOf(queue, next)).toBe(kept);
});
