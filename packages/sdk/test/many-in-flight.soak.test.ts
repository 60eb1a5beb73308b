import { useRedis } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { embedded, Queue, Worker } from '../src/embedded/index.js';

const redis = useRedis();
const MANY = 10_000;

it('jobs in flight hold no timers and no other resources of the process, however many they are', async () => {
  const connection = embedded({ redis: redis.url });
  const queue = new Queue<number>('many-in-flight', { connection });
  let running = 0;
  let full = () => {};
  let finish = () => {};
  const end = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const begun = (count: number) =>
    new Promise<void>((resolve) => {
      full = () => running === count && resolve();
      full();
    });
  const worker = new Worker<number>(
    queue.name,
    async () => {
      running += 1;
      full();
      await end;
    },
    { connection, concurrency: MANY, lockDuration: 300_000 },
  );
  const add = async (count: number) => {
    for (let first = 0; first < count; first += 1_000) {
      const size = Math.min(1_000, count - first);
      await queue.addBulk(Array.from({ length: size }, () => ({ name: 'x', data: 0 })));
    }
  };
  const resources = () => process.getActiveResourcesInfo().length;
  await add(10);
  await begun(10);
  const few = resources();
  await add(MANY - 10);
  await begun(MANY);
  // A call that is on its way may have one; ten thousand jobs would have ten thousand.
  expect(resources()).toBeLessThanOrEqual(few + 20);
  finish();
  await worker.close();
  await connection.close();
}, 60_000);
