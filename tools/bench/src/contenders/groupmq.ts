import { Queue, Worker } from 'groupmq';
import { Redis } from 'ioredis';
import type { Open, Payload } from '../contender.js';

/** Groups that jobs are spread over: one group runs one job at a time, so there must be more than slots. */
const GROUPS = 1_000;
/** It keeps a number of finished jobs, not all. */
const KEEP = 10_000_000;

/** groupmq 1. It has no bulk add. */
export const openGroupmq: Open = async ({ redisPort, queue: namespace }, { remove }) => {
  const redis = new Redis(redisPort, '127.0.0.1', { maxRetriesPerRequest: null });
  const queue = new Queue<Payload>({ redis, namespace, keepCompleted: remove ? 0 : KEEP });
  return {
    add: (data, { delayMs } = {}) =>
      queue.add({
        groupId: `g${data.n % GROUPS}`,
        data,
        ...(delayMs === undefined ? {} : { delay: delayMs }),
      }),
    work: async ({ concurrency, handler }) => {
      const worker = new Worker<Payload>({
        queue,
        concurrency,
        handler: async ({ data }) => handler(data),
      });
      worker.on('error', (error) => console.error(error));
      // It settles when the worker is closed.
      void worker.run();
      return { close: () => worker.close() };
    },
    books: async () => {
      const { waiting, active, completed, failed } = await queue.getJobCounts();
      return { waiting, active, completed, failed };
    },
    close: async () => {
      await queue.close();
      redis.disconnect();
    },
  };
};
