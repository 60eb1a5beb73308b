import { moveToActive as fetchJob } from '@echomq/core';
import type { WorkerOptions } from 'bullmq';
import { type BullSite, NOW, type TransitionCases } from '../oracle/oracle-case.js';
import { fetchCase, fetchedId, fetchesOfEchoMQ, workerOf } from './fetches.js';
import { childOf, META, stored } from './jobs.js';

const LIMITED: Partial<WorkerOptions> = { limiter: { max: 5, duration: 20_000 } };

/** The next job that may run: those that must fail are failed by BullMQ's worker, each after its activation. */
async function fetchPastDeferred(
  site: BullSite,
  options: Partial<WorkerOptions> = {},
): Promise<(string | null)[]> {
  const worker = site.worker(options);
  for (;;) {
    const job = await worker.getNextJob('t0', { block: false });
    if (!job?.deferredFailure) return [job?.id ?? null];
    await worker.processJob(job, 't0', () => false);
  }
}

const due = (ms: number, arrival = 0) => (NOW + ms) * 4096 + arrival;
const prioritized = (priority: number, arrival: number) => priority * 2 ** 32 + arrival;

/** Fetches. */
export const moveToActive: TransitionCases = {
  transition: 'moveToActive',
  cases: [
    fetchCase('from an empty queue', () => ({ main: { meta: META, pc: 3 } })),
    fetchCase('of the one job', () => ({
      main: { meta: META, wait: ['1'], jobs: { 1: stored() } },
    })),
    fetchCase(
      'by a worker with a name',
      () => ({ main: { meta: META, wait: ['1'], jobs: { 1: stored({ ats: 2, pb: 'old' }) } } }),
      { worker: { name: 'w1' } },
    ),
    fetchCase(
      'of wait before prioritized, each in its order',
      () => ({
        main: {
          meta: META,
          wait: ['2', '1'],
          prioritized: { 3: prioritized(5, 1), 4: prioritized(1, 2), 5: prioritized(1, 0) },
          pc: 2,
          jobs: {
            1: stored(),
            2: stored(),
            3: stored({ priority: 5 }),
            4: stored({ priority: 1 }),
            5: stored({ priority: 1 }),
          },
        },
      }),
      { times: 6 },
    ),
    fetchCase(
      'when jobs have become due',
      () => ({
        main: {
          meta: META,
          wait: ['9'],
          delayed: { 1: due(-5_000), 2: due(-1, 3), 3: due(0, 4095), 4: due(1) },
          jobs: {
            1: stored({ delay: 10 }),
            2: stored({ delay: 10, priority: 4 }),
            3: stored({ delay: 10 }),
            4: stored({ delay: 10 }),
            9: stored(),
          },
        },
      }),
      { times: 5 },
    ),
    fetchCase('when jobs have become due while paused', () => ({
      main: {
        meta: { ...META, paused: '1' },
        delayed: { 1: due(-5), 2: due(-4) },
        jobs: { 1: stored({ delay: 10 }), 2: stored({ delay: 10, priority: 4 }) },
      },
    })),
    fetchCase('from a paused queue', () => ({
      main: { meta: { ...META, paused: '1' }, wait: ['1'], jobs: { 1: stored() } },
    })),
    fetchCase('with only a later job', () => ({
      main: { meta: META, delayed: { 1: due(10_000) }, jobs: { 1: stored({ delay: 10 }) } },
    })),
    fetchCase(
      'within and beyond a worker limit',
      () => ({
        main: {
          meta: META,
          wait: ['3', '2', '1'],
          jobs: { 1: stored(), 2: stored(), 3: stored() },
        },
      }),
      { times: 3, worker: { limiter: { max: 2, duration: 20_000 } } },
    ),
    fetchCase(
      'within and beyond the limit of the queue',
      () => ({
        main: {
          meta: { ...META, max: '1', duration: '20000' },
          wait: ['2', '1'],
          jobs: { 1: stored(), 2: stored() },
        },
      }),
      { times: 2 },
    ),
    fetchCase(
      'with a limit of the queue and one of the worker',
      () => ({
        main: {
          meta: { ...META, max: '1', duration: '20000' },
          wait: ['2', '1'],
          jobs: { 1: stored(), 2: stored() },
        },
      }),
      { times: 2, worker: { limiter: { max: 5, duration: 40_000 } } },
    ),
    fetchCase(
      'under a manual limit with a maximum',
      () => ({
        main: {
          meta: META,
          limiter: '9007199254740991',
          ttls: { limiter: 20_000 },
          wait: ['1'],
          delayed: { 2: due(-1) },
          jobs: { 1: stored(), 2: stored({ delay: 5 }) },
        },
      }),
      { worker: { limiter: { max: 5, duration: 40_000 } } },
    ),
    fetchCase('under a manual limit without a maximum', () => ({
      main: {
        meta: META,
        limiter: '9007199254740991',
        ttls: { limiter: 20_000 },
        wait: ['1'],
        jobs: { 1: stored() },
      },
    })),
    fetchCase(
      'with a limiter that never expires',
      () => ({ main: { meta: META, limiter: '5', wait: ['1'], jobs: { 1: stored() } } }),
      { worker: { limiter: { max: 5, duration: 20_000 } } },
    ),
    fetchCase('at the global concurrency', () => ({
      main: {
        meta: { ...META, concurrency: '1' },
        active: ['1'],
        wait: ['2'],
        jobs: { 1: stored(), 2: stored() },
      },
    })),
    fetchCase('below the global concurrency', () => ({
      main: {
        meta: { ...META, concurrency: '2' },
        active: ['1'],
        wait: ['2'],
        jobs: { 1: stored(), 2: stored() },
      },
    })),
    fetchCase('of a child, with every field', (names) => ({
      main: {
        meta: META,
        wait: ['1'],
        jobs: {
          1: stored({
            parentKey: `${names.other}:p`,
            parent: { id: 'p', queueKey: names.other },
            deid: 'd',
            atm: 1,
            stc: 1,
            progress: '5',
            failedReason: 'before',
          }),
        },
      },
    })),
    fetchCase('of an id without a job', () => ({
      main: { meta: META, wait: ['2', '1'], jobs: { 2: stored() } },
    })),
    fetchCase('of a job without a name', () => ({
      main: {
        meta: META,
        wait: ['2', '1'],
        jobs: { 1: stored({ name: undefined as never }), 2: stored() },
      },
    })),
    {
      name: 'of a job that must fail, and the next',
      seed: () => ({
        main: {
          meta: META,
          wait: ['2', '1'],
          jobs: { 1: stored({ defa: 'too often' }), 2: stored() },
        },
      }),
      echomq: (site) => fetchesOfEchoMQ(site, 1),
      bullmq: fetchPastDeferred,
    },
    {
      name: 'of a child that must fail, and so its parent',
      seed: (names) => ({
        main: {
          meta: META,
          wait: ['1'],
          jobs: {
            1: stored({ defa: 'too often', ...childOf(names.main, 'p', { fpof: true }) }),
            p: stored(),
          },
          'waiting-children': { p: 5 },
          'p:dependencies': [`${names.main}:1`],
        },
      }),
      echomq: (site) => fetchesOfEchoMQ(site, 1),
      bullmq: fetchPastDeferred,
    },
    {
      name: 'of a job that must fail, under a limit',
      seed: () => ({
        main: {
          meta: META,
          wait: ['2', '1'],
          jobs: { 1: stored({ defa: 'too often' }), 2: stored() },
        },
      }),
      echomq: (site) => fetchesOfEchoMQ(site, 1, LIMITED),
      bullmq: (site) => fetchPastDeferred(site, LIMITED),
    },
    {
      name: 'with the token 0, which belongs to nobody',
      seed: () => ({ main: { meta: META, wait: ['1'], jobs: { 1: stored() } } }),
      echomq: async ({ store, queue }) =>
        fetchedId(await fetchJob(store, queue, workerOf({}, '0'), NOW)),
      bullmq: async (site) => (await site.worker().getNextJob('0', { block: false }))?.id ?? null,
    },
    fetchCase('past a marker of old releases', () => ({
      main: { meta: META, wait: ['1', '0:5'], jobs: { 1: stored() } },
    })),
  ],
};
