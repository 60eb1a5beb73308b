import { fileURLToPath } from 'node:url';
import { collect, eventually, signal, spawnNode, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { connect, Queue, Worker } from '../src/index.js';
import { frameProxy } from './rolling/frame-proxy.js';

const STREAMS = 50;
const LISTENING = /listening on \S+:(\d+)/;
const main = fileURLToPath(new URL('../../../apps/gateway/build/main.js', import.meta.url));
const redis = useRedis();

async function startGateway() {
  const gateway = await spawnNode(main, {
    args: ['--listen=127.0.0.1:0', `--redis-url=${redis.url}`, '--drain-timeout-ms=4000'],
    ready: LISTENING,
    readyLimitMs: 25_000,
  });
  onTestFinished(() => gateway.stop());
  return { gateway, port: Number(LISTENING.exec(gateway.readyLine)?.[1]) };
}

it('50 streams with running jobs, and their gateway ends: each job goes on, and no GOAWAY meets an open stream', {
  timeout: 90_000,
}, async () => {
  const [first, second] = await Promise.all([startGateway(), startGateway()]);
  const front = await frameProxy(first.port);
  const stored = redis.freshQueue();
  const runs = collect<string>('runs');
  const ends = collect<string>('ends');
  const go = signal('the handlers may end');
  const workers = Array.from({ length: STREAMS }, () => {
    const connection = connect({ address: `127.0.0.1:${front.port}` });
    const worker = new Worker(
      stored.name,
      async (job) => {
        runs.push(job.id);
        await go.wait(60_000);
        return job.id;
      },
      { connection, lockDuration: 10_000 },
    );
    worker.on('completed', ({ id }) => ends.push(id));
    worker.on('error', () => {});
    onTestFinished(async () => {
      await worker.close({ timeoutMs: 0 });
      await connection.close();
    });
    return worker;
  });
  const connection = connect({ address: `127.0.0.1:${second.port}` });
  onTestFinished(() => connection.close());
  const queue = new Queue(stored.name, { connection });
  await queue.addBulk(Array.from({ length: STREAMS }, () => ({ name: 'long', data: {} })));
  await runs.waitFor(STREAMS, 30_000);

  front.retarget(second.port);
  const left = collect<number>('moves');
  for (const worker of workers) worker.on('ready', () => left.push(1));
  first.gateway.kill('SIGTERM');
  // A half ends on the streams that they began on, or on the next ones, as it comes.
  await left.waitFor(STREAMS / 2, 30_000);
  go.resolve();
  await ends.waitFor(STREAMS, 30_000);
  expect((await first.gateway.exit.wait()).code).toBe(0);

  expect([...runs.items].sort()).toEqual([...ends.items].sort());
  expect(new Set(runs.items).size).toBe(STREAMS);
  const dump = await stored.read();
  expect((dump.completed as unknown[]).length).toBe(STREAMS);
  for (const id of runs.items) {
    const { ats, atm, stc } = dump[id] as Record<string, string>;
    expect([ats, atm, stc]).toEqual(['1', '1', undefined]);
  }
  const met = front.connections.map(({ openAtGoaway }) => openAtGoaway ?? 0);
  expect(met.filter((open) => open > 0)).toEqual([]);
  // The frames were read: each worker has had its streams, and the connections of the first gateway were said goodbye.
  // Who ended its job on the old stream may still be on its way to the next one.
  await eventually(() => {
    expect(front.connections.length).toBeGreaterThanOrEqual(2 * STREAMS);
    const opened = front.connections.reduce((sum, seen) => sum + seen.opened, 0);
    expect(opened).toBeGreaterThanOrEqual(2 * STREAMS);
  }, 20_000);
});
