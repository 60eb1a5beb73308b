import {
  addJobs,
  addLogs,
  extendLocks,
  moveStalledJobsToWait,
  promoteDueJobs,
  updateProgress,
} from '@echomq/core';
import { type CallCase, only } from '../call-case.js';
import { job, LOCK_MS, SWEEP_MS } from '../fixtures.js';

const MANY = 50;
/** How long ago the delayed jobs of the promotion were added, and for how long, ms. */
const AGO_MS = 5_000;
const DELAY_MS = 1_000;

const PROGRESS = '50';
const ROW = 'half of it is done';

/** What is done while jobs run, and what nobody asks for. */
export const KEEPING: readonly CallCase[] = [
  {
    id: 'extend-locks',
    title: `\`extendLocks\` of ${MANY}`,
    jobs: MANY,
    waiting: MANY,
    taken: MANY,
    run: ({ store, keys }, held) =>
      extendLocks(
        store,
        keys,
        held.map(({ jobId, token }) => ({ id: jobId, token, lockDuration: LOCK_MS })),
      ),
    yardstick: ({ keys }, held) => ({
      file: 'extend-locks',
      keys: [keys.stalled],
      args: [keys.base, LOCK_MS, ...held.flatMap(({ jobId, token }) => [jobId, token])],
    }),
  },
  {
    id: 'promote',
    title: `\`promoteDueJobs\` of ${MANY}`,
    jobs: MANY,
    prepare: async ({ store, keys, now }) => {
      const timestamp = (now === '' ? Date.now() : now) - AGO_MS;
      const jobs = Array.from({ length: MANY }, () => job({ timestamp, delay: DELAY_MS }));
      await addJobs(store, keys, jobs);
      return [];
    },
    run: ({ store, keys, now }) => promoteDueJobs(store, keys, now),
    yardstick: ({ keys, now }) => ({
      file: 'promote',
      keys: [keys.delayed, keys.wait, keys.active, keys.meta, keys.events, keys.marker],
      args: [keys.base, now],
    }),
  },
  {
    id: 'sweep',
    title: 'stalled sweep that finds nothing',
    jobs: 1,
    run: ({ store, keys, now }) =>
      moveStalledJobsToWait(store, keys, { maxStalledCount: 1, stalledInterval: SWEEP_MS }, now),
    yardstick: ({ keys, now }) => ({
      file: 'sweep',
      keys: [keys.stalled, keys.active, keys.stalledCheck, keys.meta, keys.events],
      args: [now, SWEEP_MS],
    }),
  },
  {
    id: 'progress',
    title: '`updateProgress`',
    jobs: 1,
    waiting: 1,
    taken: 1,
    run: ({ store, keys }, held) =>
      updateProgress(store, keys, { ...only(held), progress: PROGRESS }),
    yardstick: ({ keys }, held) => {
      const { jobId, token } = only(held);
      return {
        file: 'progress',
        keys: [keys.job(jobId), keys.lock(jobId), keys.events, keys.meta],
        args: [jobId, token, PROGRESS],
      };
    },
  },
  {
    id: 'logs',
    title: '`addLogs` of one row',
    jobs: 1,
    waiting: 1,
    taken: 1,
    run: ({ store, keys }, held) => addLogs(store, keys, { ...only(held), rows: [ROW], keep: 0 }),
    yardstick: ({ keys }, held) => {
      const { jobId, token } = only(held);
      return {
        file: 'logs',
        keys: [keys.job(jobId), keys.lock(jobId), keys.logs(jobId)],
        args: [token, ROW],
      };
    },
  },
];
