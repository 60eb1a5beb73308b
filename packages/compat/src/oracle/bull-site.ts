import type { FlowProducer, Job, Queue, Worker, WorkerOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import type { BullSite, QueueNames } from './oracle-case.js';
import { bullModule, type Peer } from './peers.js';

/** A site whose connections and workers end with {@link OpenBullSite.close}. */
export interface OpenBullSite extends BullSite {
  close(): Promise<void>;
}

/** BullMQ at two queues, over a client that stays open. `meta` is left as it is. */
export function openBullSite(peer: Peer, redis: Redis, names: QueueNames): OpenBullSite {
  const bull = bullModule(peer);
  const open: (Queue | Worker | FlowProducer)[] = [];
  const tracked = <T extends Queue | Worker | FlowProducer>(opened: T): T => {
    // A case that provokes an error reads it from the call.
    (opened as Queue).on('error', () => undefined);
    open.push(opened);
    return opened;
  };
  // Each release's types know its own ioredis; at run time both take any.
  const connection = redis as never;
  const nameOf = (key: string) => key.slice('bull:'.length);
  const queueOf = (key: string) =>
    tracked(new bull.Queue(nameOf(key), { connection, skipMetasUpdate: true }));
  const workerOf = (options: Partial<WorkerOptions> = {}) =>
    tracked(
      new bull.Worker(nameOf(names.main), null, {
        lockDuration: 30_000,
        ...options,
        connection,
        autorun: false,
      }),
    );
  return {
    peer,
    names,
    queue: queueOf(names.main),
    other: queueOf(names.other),
    worker: workerOf,
    flow: () => tracked(new bull.FlowProducer({ connection })),
    async job(id: string, options?: Partial<WorkerOptions>): Promise<Job> {
      const job = await bull.Job.fromId(workerOf(options), id);
      if (!job) throw new Error(`the seed of the case has no job ${id}`);
      return job;
    },
    async close() {
      await Promise.all(open.map((opened) => opened.close()));
    },
  };
}
