import { getJob as readJob } from '@echomq/core';
import { NOW, type OracleCase } from '../oracle/oracle-case.js';
import { query } from './everywhere.js';
import { META, stored } from './jobs.js';

/** Jobs read whole. */
export const getJob = query('getJob', [
  {
    name: 'with every field',
    seed: ({ other }) => ({
      main: {
        meta: META,
        failed: { 1: NOW },
        jobs: {
          1: stored({
            opts: { attempts: 3, priority: 2 },
            priority: 2,
            delay: 0,
            ats: 3,
            atm: 2,
            stc: 1,
            pb: 'w1',
            deid: 'd',
            parentKey: `${other}:p`,
            parent: { id: 'p', queueKey: other },
            progress: '{"half":true}',
            processedOn: NOW - 9,
            finishedOn: NOW,
            failedReason: 'boom',
            stacktrace: '["one"]',
          }),
        },
      },
    }),
    echomq: async ({ store, queue }) => {
      const job = await readJob(store, queue, '1');
      if (!job) return null;
      const json = (bytes: Buffer | undefined) => bytes && JSON.parse(bytes.toString());
      return [
        job.id,
        job.name,
        json(job.data),
        job.timestamp,
        job.delay,
        job.priority,
        job.attemptsMade,
        job.attemptsStarted,
        job.stalledCount,
        job.parentKey,
        job.processedOn,
        job.finishedOn,
        job.processedBy,
        json(job.progress),
        job.failedReason,
        json(job.stackTrace),
        job.deduplicationId,
      ];
    },
    bullmq: async (site) => {
      const job = await site.job('1');
      return [
        job.id,
        job.name,
        job.data,
        job.timestamp,
        job.delay,
        job.priority,
        job.attemptsMade,
        job.attemptsStarted,
        job.stalledCounter,
        job.parentKey,
        job.processedOn,
        job.finishedOn,
        job.processedBy,
        job.progress,
        job.failedReason,
        job.stacktrace,
        job.deduplicationId,
      ];
    },
  } as OracleCase,
]);
