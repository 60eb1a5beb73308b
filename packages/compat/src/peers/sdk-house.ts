import { type Connection, FlowProducer, Queue, Worker } from '@echomq/sdk/embedded';
import { type FullHouse, flowTree, type Task } from './house.js';

/**
 * EchoMQ by its SDK.
 *
 * @param connection over an engine in this process or to a gateway; the house closes it
 */
export function sdkHouse(connection: Connection, queueName: string, concurrency = 1): FullHouse {
  const queue = new Queue<Task>(queueName, { connection });
  const flows = new FlowProducer({ connection });
  const workers: Worker<Task, unknown>[] = [];
  return {
    async add(task, options = {}) {
      return (await queue.add('task', task, options)).id;
    },
    async addFlow(flow) {
      await flows.add(flowTree(queueName, flow));
    },
    async schedule({ id, everyMs, limit, task }) {
      await queue.upsertJobScheduler(id, { every: everyMs, limit }, { name: 'task', data: task });
    },
    async unschedule(id) {
      await queue.removeJobScheduler(id);
    },
    work(work) {
      const worker = new Worker<Task, unknown>(
        queueName,
        (job) => work({ id: job.id, task: job.data, attemptsMade: job.attemptsMade }),
        { connection, concurrency },
      );
      workers.push(worker);
    },
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      await connection.close();
    },
  };
}
