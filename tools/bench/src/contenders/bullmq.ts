import * as six from 'bullmq';
import * as five from 'bullmq5';
import type { Open, Payload } from '../contender.js';

/** BullMQ 6. */
export const openBullmq6: Open = (place, terms) => open(six, place, terms);

/** BullMQ 5; the parts that are used here have the same types. */
export const openBullmq5: Open = (place, terms) =>
  open(five as unknown as typeof six, place, terms);

async function open(
  { Queue, Worker }: typeof six,
  { redisPort, queue: name }: Parameters<Open>[0],
  { remove }: Parameters<Open>[1],
): ReturnType<Open> {
  const connection = { host: '127.0.0.1', port: redisPort };
  const queue = new Queue<Payload, void, string>(name, { connection });
  const options = remove ? { removeOnComplete: true } : {};
  await queue.waitUntilReady();
  return {
    add: (data, { delayMs } = {}) =>
      queue.add('job', data, delayMs === undefined ? options : { ...options, delay: delayMs }),
    addBulk: (items) => queue.addBulk(items.map((data) => ({ name: 'job', data, opts: options }))),
    work: async ({ concurrency, handler }) => {
      const worker = new Worker<Payload, void>(name, async (job) => handler(job.data), {
        connection: { ...connection, maxRetriesPerRequest: null },
        concurrency,
      });
      worker.on('error', (error) => console.error(error));
      await worker.waitUntilReady();
      return worker;
    },
    books: async () => {
      // BullMQ 5 keeps the jobs of a paused queue apart; nothing is paused here.
      const counts = await queue.getJobCounts('wait', 'active', 'completed', 'failed');
      const { wait = 0, active = 0, completed = 0, failed = 0 } = counts;
      return { waiting: wait, active, completed, failed };
    },
    close: () => queue.close(),
  };
}
