import { type Connection, Queue, Worker } from '@echomq/sdk';
import type { UsedRedis } from '@echomq/testkit';
import { bullModule, type Peer } from '../src/oracle/peers.js';
import { dueOf, type LateTaker } from '../src/run/lateness.js';

/** EchoMQ, by its SDK over a connection that it closes. */
export function echoTaker(connection: Connection, name: string): LateTaker {
  const queue = new Queue(name, { connection });
  return {
    add: async (delay) => (await queue.add('x', {}, { delay })).id,
    async work(onStart) {
      const worker = new Worker(name, (job) => onStart(job.id), { connection, concurrency: 5 });
      worker.on('error', () => {});
      await worker.waitUntilReady();
    },
    close: () => connection.close(),
  };
}

/** A release of BullMQ, for comparison. */
export function bullTaker(peer: Peer, path: string, name: string): LateTaker {
  const bull = bullModule(peer);
  const connection = { path, maxRetriesPerRequest: null };
  const queue = new bull.Queue(name, { connection });
  let worker: InstanceType<typeof bull.Worker> | undefined;
  return {
    add: async (delay) => (await queue.add('x', {}, { delay })).id as string,
    async work(onStart) {
      const options = { connection, concurrency: 5 };
      worker = new bull.Worker(name, async (job) => onStart(job.id as string), options);
      await worker.waitUntilReady();
    },
    async close() {
      await worker?.close();
      await queue.close();
    },
  };
}

/** When the jobs of a queue were due, from their hashes. */
export function dueTimes({ client }: UsedRedis, base: string): (id: string) => Promise<number> {
  return async (id) => {
    const [timestamp, opts] = await client.hmget(`${base}${id}`, 'timestamp', 'opts');
    return dueOf(timestamp, opts);
  };
}
