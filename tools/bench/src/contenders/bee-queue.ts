import BeeQueue from 'bee-queue';
import type { Open, Payload } from '../contender.js';

/** bee-queue 2. Its `saveAll` is its bulk add; delayed jobs are told of by `activateDelayedJobs`. */
export const openBeeQueue: Open = async ({ redisPort, queue: name }, { remove }) => {
  const redis = { host: '127.0.0.1', port: redisPort };
  const settings = { redis, removeOnSuccess: remove, activateDelayedJobs: true };
  const queue = new BeeQueue<Payload>(name, { ...settings, isWorker: false });
  await queue.ready();
  return {
    add: (data, { delayMs } = {}) => {
      const job = queue.createJob(data);
      return (delayMs === undefined ? job : job.delayUntil(Date.now() + delayMs)).save();
    },
    addBulk: async (items) => {
      const errors = await queue.saveAll(items.map((data) => queue.createJob(data)));
      for (const error of errors.values()) throw error;
    },
    work: async ({ concurrency, handler }) => {
      const worker = new BeeQueue<Payload>(name, settings);
      worker.on('error', (error) => console.error(error));
      await worker.ready();
      worker.process(concurrency, async ({ data }) => handler(data));
      return { close: () => worker.close(5_000) };
    },
    books: async () => {
      const { waiting, active, succeeded, failed } = await queue.checkHealth();
      return { waiting, active, completed: succeeded, failed };
    },
    close: () => queue.close(5_000),
  };
};
