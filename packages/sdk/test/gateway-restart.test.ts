import { type Gateway, loadConfig, startGateway } from '@echomq/gateway';
import { collect, signal, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { connect, Queue, Worker } from '../src/index.js';
import { next } from './places.js';

const LOCK_MS = 3_000;
const silent = { info: () => {}, warn: () => {}, error: () => {} };
const redis = useRedis();
let names = 0;

/** A gateway at an address, ended with the test. */
async function gatewayAt(listen: string, drainTimeoutMs: number): Promise<Gateway> {
  const loaded = loadConfig({
    env: {},
    argv: [
      `--redis-url=${redis.url}`,
      `--listen=${listen}`,
      `--default-lock-ms=${LOCK_MS}`,
      `--drain-timeout-ms=${drainTimeoutMs}`,
      '--stalled-interval-ms=200',
    ],
  });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  const gateway = await startGateway(loaded.config, silent);
  onTestFinished(() => gateway.close());
  return gateway;
}

/** A queue and a worker at an address. `go` lets the handler end; jobs named `quick` do not wait for it. */
function workAt(address: string) {
  const connection = connect({ address });
  names += 1;
  const queue = new Queue(`restart-${names}`, { connection });
  const go = signal('the handler may end');
  const runs = collect<string>('runs');
  const worker = new Worker(
    queue.name,
    async (job) => {
      runs.push(job.id);
      if (job.name !== 'quick') await go.wait(15_000);
      return job.name;
    },
    { connection, concurrency: 2 },
  );
  worker.on('error', () => {});
  onTestFinished(async () => {
    await worker.close({ timeoutMs: 0 });
    await connection.close();
  });
  return { queue, worker, go, runs };
}

it('a gateway that leaves takes the reports of what runs, and its successor gives new work', async () => {
  const first = await gatewayAt('127.0.0.1:0', 10_000);
  const { queue, worker, go, runs } = workAt(first.address);
  const { id } = await queue.add('slow', {});
  await runs.waitFor(1);
  const completed = next(worker, 'completed');
  const closed = first.close();
  go.resolve();
  expect((await completed)[0].id).toBe(id);
  await closed;
  await gatewayAt(first.address, 1_000);
  await worker.waitUntilReady();
  const again = next(worker, 'completed');
  await queue.add('quick', {});
  expect((await again)[1]).toBe('quick');
  expect(await queue.getJob(id)).toMatchObject({ attemptsStarted: 1, stalledCount: 0 });
});

it('a job goes on over a gateway that does not wait for it', async () => {
  const first = await gatewayAt('127.0.0.1:0', 50);
  const { queue, worker, go, runs } = workAt(first.address);
  const { id } = await queue.add('slow', {});
  await runs.waitFor(1);
  const ready = next(worker, 'ready');
  await first.close();
  await gatewayAt(first.address, 1_000);
  await ready;
  const completed = next(worker, 'completed');
  go.resolve();
  expect((await completed)[1]).toBe('slow');
  expect(runs.items).toEqual([id]);
  expect(await queue.getJob(id)).toMatchObject({ attemptsStarted: 1, stalledCount: 0 });
});
