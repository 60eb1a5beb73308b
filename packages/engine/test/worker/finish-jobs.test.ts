import {
  type DeliveredJob,
  EmptyReason,
  type FetchNext,
  FinishJobsRequest,
} from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import type { EngineObserver } from '../../src/ports.js';
import { complete, fail, fetchOf, finishOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient } from '../use-services.js';

/** What the store was asked for, by name. */
const asked: string[] = [];
const silent = () => undefined;
const observer: EngineObserver = {
  answered: (name) => asked.push(name),
  refused: silent,
  jobsAdded: silent,
  jobStarted: silent,
  jobEnded: silent,
  jobsStalled: silent,
  jobsReturned: silent,
  locksRenewed: silent,
};
const used = useEngine({ observer, limits: { maxWaiters: 1 } });
const api = () => used.engine.services.worker;

const nextOf = (maxJobs: number, more: Partial<FetchNext> = {}): FetchNext => ({
  maxJobs,
  wait: undefined,
  lockDuration: undefined,
  maxResponseBytes: 0,
  rateLimit: undefined,
  ...more,
});

const ids = (jobs: readonly DeliveredJob[]) => jobs.map(({ lease }) => lease?.jobId);

/** A queue of so many jobs, the first `count` of them held. */
async function held(total: number, count: number): Promise<[FreshQueue, DeliveredJob[]]> {
  const queue = used.queue();
  await queue.seed(waiting(...Array.from({ length: total }, (_, at) => `${at + 1}`)));
  const { jobs } = await api().fetchJobs(fetchOf(queue, { maxJobs: count }), patient);
  expect(ids(jobs)).toEqual(Array.from({ length: count }, (_, at) => `${at + 1}`));
  return [queue, jobs];
}

type Outcome = ReturnType<typeof complete> | ReturnType<typeof fail>;

const requestOf = (
  jobs: readonly DeliveredJob[],
  fetchNext: FetchNext,
  { outcomes = [], requestId = '' }: { outcomes?: readonly Outcome[]; requestId?: string } = {},
) =>
  FinishJobsRequest.fromPartial({
    items: jobs.map(({ lease }, at) => ({
      ...(lease && { lease }),
      outcome: { kind: outcomes[at] ?? complete('1') },
    })),
    requestId,
    fetchNext,
  });

/** The moves that the store was asked for while something was done. */
async function moves(during: () => Promise<unknown>): Promise<readonly string[]> {
  asked.length = 0;
  await during();
  return asked.filter((name) => name.startsWith('move'));
}

describe('FinishJobs with next jobs', () => {
  test('ends two and takes two in one script', async () => {
    const [queue, jobs] = await held(6, 2);
    let next: readonly DeliveredJob[] = [];
    const ran = await moves(async () => {
      ({ next } = await api().finishJobs(requestOf(jobs, nextOf(2)), patient));
    });
    expect(ran.filter((name) => name !== 'moveStalledJobsToWait')).toEqual(['moveBatch']);
    expect(ids(next)).toEqual(['3', '4']);
    expect(new Set(next.map(({ lease }) => lease?.leaseToken)).size).toBe(2);
    expect(await queue.read()).toMatchObject({ wait: ['6', '5'], active: ['4', '3'] });
  });

  test('takes more than it ends, and fewer', async () => {
    const [, jobs] = await held(9, 2);
    const more = await api().finishJobs(requestOf(jobs, nextOf(4)), patient);
    expect(ids(more.next)).toEqual(['3', '4', '5', '6']);
    const fewer = await api().finishJobs(requestOf(more.next, nextOf(2)), patient);
    expect(ids(fewer.next)).toEqual(['7', '8']);
    expect(fewer.results.map(({ outcome }) => outcome?.$case)).toEqual(Array(4).fill('result'));
  });

  test('what is there is the answer, and no wait holds it back; nothing there says so', async () => {
    const [queue, jobs] = await held(3, 2);
    const wait = { wait: seconds(10) };
    const { next } = await api().finishJobs(requestOf(jobs, nextOf(2, wait)), patient);
    expect(ids(next)).toEqual(['3']);
    const last = await api().finishJobs(requestOf(next, nextOf(2)), patient);
    expect(last).toMatchObject({ next: [], emptyReason: EmptyReason.EMPTY });
    const state = await queue.read();
    expect(state).not.toHaveProperty('active');
    expect(state).toMatchObject({ completed: [1, 2, 3].map(() => expect.anything()) });
  });

  test('a refused item brings none, and the others fill its place', async () => {
    const [queue, jobs] = await held(6, 3);
    const [first, ...rest] = jobs;
    const stolen = { ...first, lease: { ...first?.lease, leaseToken: 'thief' } } as DeliveredJob;
    const request = requestOf([stolen, ...rest], nextOf(3), { outcomes: [complete(), fail('x')] });
    const { results, next } = await api().finishJobs(request, patient);
    expect(results.map(({ outcome }) => outcome?.$case)).toEqual(['error', 'result', 'result']);
    expect(ids(next)).toEqual(['4', '5', '6']);
    expect(await queue.read()).toMatchObject({ active: ['6', '5', '4', '1'] });
  });

  test('comes from the queue of the first item that was ended', async () => {
    const [one, [stale]] = await held(2, 1);
    const [two, [good]] = await held(2, 1);
    const stolen = { ...stale, lease: { ...stale?.lease, leaseToken: 'thief' } } as DeliveredJob;
    const request = requestOf([stolen, good as DeliveredJob], nextOf(2));
    const { next } = await api().finishJobs(request, patient);
    expect(next.map(({ lease }) => [lease?.queue, lease?.jobId])).toEqual([[two.name, '2']]);
    expect(await one.read()).toMatchObject({ wait: ['2'], active: ['1'] });
  });

  test('what does not fit into the answer goes back in its order', async () => {
    const [queue, jobs] = await held(3, 3);
    const data = 'x'.repeat(900);
    const large = (id: string) => [id, { data }] as const;
    const more = ['4', '5', '6'];
    await queue.seed({ jobs: Object.fromEntries(more.map(large)), wait: [...more].reverse() });
    const asked = nextOf(3, { maxResponseBytes: 1_500 });
    const { next } = await api().finishJobs(requestOf(jobs, asked), patient);
    expect(ids(next)).toEqual(['4']);
    await expect.poll(() => queue.read()).toMatchObject({ wait: ['6', '5'], active: ['4'] });
    const state = await queue.read();
    expect([state['5:lock'], state['6:lock']]).toEqual([undefined, undefined]);
  });

  test('with a request_id the same ones come again, and no more than were asked for', async () => {
    const [queue, jobs] = await held(9, 3);
    const request = requestOf(jobs, nextOf(3), { requestId: 'r1' });
    const first = await api().finishJobs(request, patient);
    expect(ids(first.next)).toEqual(['4', '5', '6']);
    const again = await api().finishJobs(request, patient);
    expect(again.next).toEqual(first.next);
    expect(again.results).toMatchObject(Array(3).fill({ outcome: { value: { replayed: true } } }));
    expect(await queue.read()).toMatchObject({ wait: ['9', '8', '7'], active: ['6', '5', '4'] });
  });

  test('at another server, which has seen none of the queue, the same ones come too', async () => {
    const [queue, jobs] = await held(9, 3);
    const request = requestOf(jobs, nextOf(3), { requestId: 'r1' });
    const first = await api().finishJobs(request, patient);
    const other = await used.another();
    const again = await other.services.worker.finishJobs(request, patient);
    expect(again.next).toEqual(first.next);
    expect(ids(again.next)).toEqual(['4', '5', '6']);
    expect(await queue.read()).toMatchObject({ wait: ['9', '8', '7'], active: ['6', '5', '4'] });
  });
});

test('a next job that came with an end is answered though no call may wait', async () => {
  const [queue, [job]] = await held(2, 1);
  const quiet = used.queue();
  const ending = new AbortController();
  const waits = api().fetchJobs(fetchOf(quiet, { wait: seconds(10) }), { signal: ending.signal });
  const next = nextOf(1, { wait: seconds(10) });
  const answer = await api().finishJob(finishOf(job, complete(), { fetchNext: next }), patient);
  ending.abort();
  await waits;
  expect(ids(answer.next)).toEqual(['2']);
  expect(await queue.read()).toMatchObject({ active: ['2'] });
});
