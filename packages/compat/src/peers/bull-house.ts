import type { ConnectionOptions, Job, Queue, QueueEvents } from 'bullmq';
import { bullModule, type Peer } from '../oracle/peers.js';
import { type FullHouse, flowTree, type Task } from './house.js';

/** BullMQ at a queue, with the classes that its users have. */
export interface BullHouse extends FullHouse {
  readonly queue: Queue;
  /** Listens, from the stream's beginning on. */
  events(): Promise<QueueEvents>;
  job(id: string): Promise<Job>;
}

/** How BullMQ takes part. */
export interface BullOptions {
  /** Of each worker; 2 by default. */
  readonly concurrency?: number;
  /** Entries to which it has the stream of events trimmed. */
  readonly maxEvents?: number;
}

/** Everything that it opens it closes. */
export function bullHouse(
  peer: Peer,
  socketPath: string,
  queueName: string,
  { concurrency = 2, maxEvents = 10_000 }: BullOptions = {},
): BullHouse {
  const bull = bullModule(peer);
  const connection: ConnectionOptions = { path: socketPath, maxRetriesPerRequest: null };
  const open: { close(): Promise<void> }[] = [];
  const opened = <T extends { close(): Promise<void> }>(thing: T): T => {
    open.push(thing);
    return thing;
  };
  const queue = opened(
    new bull.Queue(queueName, { connection, streams: { events: { maxLen: maxEvents } } }),
  );
  let flows: InstanceType<typeof bull.FlowProducer> | undefined;
  return {
    queue,
    async add(task, options = {}) {
      return (await queue.add('task', task, options)).id as string;
    },
    async addFlow(flow) {
      flows ??= opened(new bull.FlowProducer({ connection }));
      await flows.add(flowTree(queueName, flow));
    },
    async schedule({ id, everyMs, limit, task }) {
      const repeat = { every: everyMs, limit };
      await queue.upsertJobScheduler(id, repeat, { name: 'task', data: task });
    },
    async unschedule(id) {
      await queue.removeJobScheduler(id);
    },
    work(work) {
      opened(
        new bull.Worker(
          queueName,
          (job: Job<Task>) =>
            work({ id: job.id as string, task: job.data, attemptsMade: job.attemptsMade }),
          { connection, concurrency, drainDelay: 1 },
        ),
      );
    },
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    async events() {
      const events = opened(new bull.QueueEvents(queueName, { connection, lastEventId: '0-0' }));
      await events.waitUntilReady();
      return events;
    },
    async job(id) {
      const job = await bull.Job.fromId(queue, id);
      if (!job) throw new Error(`no job ${id}`);
      return job;
    },
    async close() {
      // Workers and listeners first: they were opened after the queue.
      for (const thing of open.reverse()) await thing.close();
    },
  };
}
