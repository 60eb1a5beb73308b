import Bull from 'bull';
import type { Open, Payload } from '../contender.js';

/** Bull 4. */
export const openBull: Open = async ({ redisPort, queue: name }, { remove }) => {
  const redis = { host: '127.0.0.1', port: redisPort };
  const queue = new Bull<Payload>(name, { redis });
  const options = remove ? { removeOnComplete: true } : {};
  await queue.isReady();
  return {
    add: (data, { delayMs } = {}) =>
      queue.add(data, delayMs === undefined ? options : { ...options, delay: delayMs }),
    addBulk: (items) => queue.addBulk(items.map((data) => ({ data, opts: options }))),
    work: async ({ concurrency, handler }) => {
      const worker = new Bull<Payload>(name, { redis });
      worker.on('error', (error) => console.error(error));
      await worker.isReady();
      // It settles when the queue is closed.
      void worker.process(concurrency, async ({ data }) => handler(data));
      return { close: () => worker.close() };
    },
    books: async () => {
      const { waiting, active, completed, failed } = await queue.getJobCounts();
      return { waiting, active, completed, failed };
    },
    close: () => queue.close(),
  };
};
