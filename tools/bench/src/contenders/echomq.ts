import { type Connection, connect, Queue, Worker } from '@echomq/sdk';
import { embedded } from '@echomq/sdk/embedded';
import type { Open, Payload, Place } from '../contender.js';

/** EchoMQ with the engine inside the process. */
export const openEmbedded: Open = (place, terms) =>
  open(embedded({ redis: `redis://127.0.0.1:${place.redisPort}` }), place, terms);

/** EchoMQ by the SDK through a gateway. */
export const openGateway: Open = (place, terms) =>
  open(connect({ address: place.gateway ?? '' }), place, terms);

async function open(
  connection: Connection,
  { queue: name }: Place,
  { remove }: { readonly remove: boolean },
): ReturnType<Open> {
  const queue = new Queue<Payload>(name, { connection });
  const options = remove ? { removeOnComplete: true } : {};
  await queue.getJobCounts();
  return {
    add: (data, { delayMs } = {}) =>
      queue.add('job', data, delayMs === undefined ? options : { ...options, delay: delayMs }),
    addBulk: (items) => queue.addBulk(items.map((data) => ({ name: 'job', data, opts: options }))),
    work: async ({ concurrency, handler }) => {
      const worker = new Worker<Payload>(name, (job) => handler(job.data), {
        connection,
        concurrency,
      });
      worker.on('error', (error) => console.error(error));
      await new Promise<void>((resolve) => worker.once('ready', () => resolve()));
      return worker;
    },
    books: async () => {
      const counts = await queue.getJobCounts();
      return {
        waiting: counts.waiting ?? 0,
        active: counts.active ?? 0,
        completed: counts.completed ?? 0,
        failed: counts.failed ?? 0,
      };
    },
    close: () => connection.close(),
  };
}
