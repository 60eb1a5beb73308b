import { signal, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { connect, JobCancelled, Queue, Worker } from '../src/index.js';
import { Fleet } from './rolling/fleet.js';

const redis = useRedis();
const TIMES = process.env.ECHOMQ_SOAK === 'long' ? 500 : 50;

it("a cancel asked for at one gateway aborts a worker's handler at another within a second", {
  timeout: 300_000,
}, async () => {
  const fleet = await Fleet.start(2, [`--redis-url=${redis.url}`]);
  const [here, there] = fleet.fronts.map(({ port }) => {
    const connection = connect({ address: `127.0.0.1:${port}` });
    onTestFinished(() => connection.close());
    return connection;
  });
  if (!here || !there) throw new Error('there are not two gateways');
  const { name } = redis.freshQueue();
  let begun = signal<void>('a handler that runs');
  let stopped = signal<number>('the abort');
  const worker = new Worker(
    name,
    async (_job, { signal: stop }) => {
      begun.resolve();
      await new Promise((resolve) => stop.addEventListener('abort', resolve));
      stopped.resolve(performance.now());
      expect(stop.reason).toBeInstanceOf(JobCancelled);
      throw stop.reason;
    },
    { connection: there },
  );
  onTestFinished(() => worker.close({ timeoutMs: 0 }));
  const queue = new Queue(name, { connection: here });
  const tookMs: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    begun = signal<void>('a handler that runs');
    stopped = signal<number>('the abort');
    const job = await queue.add('x', {}, { attempts: 3 });
    await begun.wait(10_000);
    const askedAt = performance.now();
    expect(await queue.cancel(job.id)).toEqual({ delivered: true, state: 'active' });
    tookMs.push((await stopped.wait(10_000)) - askedAt);
  }
  tookMs.sort((a, b) => a - b);
  const at = (share: number) => (tookMs[Math.floor((TIMES - 1) * share)] ?? 0).toFixed(1);
  console.log(
    `${TIMES} cancels at another gateway: p50 ${at(0.5)} ms, p99 ${at(0.99)}, max ${at(1)}`,
  );
  expect(tookMs.at(-1)).toBeLessThan(1_000);
  await expect
    .poll(async () => (await queue.getJobCounts('failed')).failed, { timeout: 10_000 })
    .toBe(TIMES);
  expect(await queue.getJobCounts('waiting', 'delayed', 'completed')).toEqual({
    waiting: 0,
    delayed: 0,
    completed: 0,
  });
});
