// A worker or a producer by the SDK of a release: `ROOT ADDRESS QUEUE NAME [COUNT]`. A worker tells `start ID` and
// `done ID`; with a COUNT it adds so many jobs, tells `added ID` of each, and ends.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const [, , root, address, queueName, name, count] = process.argv;
const { connect, Queue, Worker } = await import(
  pathToFileURL(join(root, 'packages/sdk/build/index.js'))
);
const connection = connect({ address });

if (count === undefined) {
  const worker = new Worker(
    queueName,
    async (job) => {
      console.log(`start ${job.id}`);
      await sleep(job.data.ms);
      return `${name}:${job.id}`;
    },
    { connection, concurrency: 10 },
  );
  worker.on('completed', (job) => console.log(`done ${job.id}`));
  worker.on('error', (error) => console.log(`error ${error.reason ?? error.message}`));
  process.once('SIGTERM', async () => {
    await worker.close();
    await connection.close();
  });
  await worker.waitUntilReady();
  console.log('ready');
} else {
  console.log('ready');
  const queue = new Queue(queueName, { connection });
  for (let left = Number(count); left > 0; left -= 100) {
    const jobs = Array.from({ length: Math.min(100, left) }, (_, at) => ({
      name: 'beside',
      data: { ms: at % 5 },
    }));
    for (const { id } of await queue.addBulk(jobs)) console.log(`added ${id}`);
  }
  await connection.close();
}
