import { embedded, Queue, Worker } from '@echomq/sdk/embedded';
import type { House, Task } from './house.js';

/** EchoMQ by its SDK, over an engine in this process. */
export function sdkHouse(redisUrl: string, queueName: string): House {
  const connection = embedded({ redis: redisUrl });
  const queue = new Queue<Task>(queueName, { connection });
  const workers: Worker<Task, unknown>[] = [];
  return {
    async add(task, options = {}) {
      return (await queue.add('task', task, options)).id;
    },
    work(work) {
      const worker = new Worker<Task, unknown>(
        queueName,
        (job) => work({ id: job.id, task: job.data, attemptsMade: job.attemptsMade }),
        { connection },
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
