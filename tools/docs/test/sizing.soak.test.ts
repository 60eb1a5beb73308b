import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { connect, Queue, Worker } from '@echomq/sdk';
import { spawnNode, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';

const redis = useRedis();
const GATEWAY = join(dirname(createRequire(import.meta.url).resolve('@echomq/gateway')), 'main.js');
const BULK = 50;
const HZ = 100;

/** CPU time of a process, in µs, as Linux counts it. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) / HZ) * 1e6;
}

/** Memory and CPU time of the store, in bytes and µs. */
async function store(): Promise<{ readonly bytes: number; readonly cpu: number }> {
  const text = `${await redis.client.info('memory')}${await redis.client.info('cpu')}`;
  const of = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1]);
  return {
    bytes: of('used_memory'),
    cpu: (of('used_cpu_sys') + of('used_cpu_user')) * 1e6,
  };
}

/**
 * The numbers of docs/operations.md, Sizing. CPU time does not depend on how busy the machine is as time does; still
 * measure on a quiet one.
 */
it.each([
  [100, 10_000],
  [1_000, 10_000],
  [10_000, 2_000],
])('jobs of %i bytes', { timeout: 600_000 }, async (size, jobs) => {
  const ready = /listening on (\S+)$/;
  const args = [`--redis-url=${redis.url}`, '--listen=127.0.0.1:0'];
  const gateway = await spawnNode(GATEWAY, { args, ready, readyLimitMs: 30_000 });
  const address = ready.exec(gateway.readyLine)?.[1] ?? '';
  const connection = connect({ address, timeoutMs: 120_000 });
  onTestFinished(() => connection.close());
  const queue = new Queue(`sizing-${size}`, { connection });
  const look = async () => ({ ...(await store()), gateway: cpuOf(gateway.pid) });
  await queue.pause();
  const item = { name: 'n', data: { x: 'y'.repeat(size - 8) } };

  const first = await look();
  for (let at = 0; at < jobs / 2; at += BULK) {
    await queue.addBulk(Array.from({ length: BULK }, () => item));
  }
  const bulk = await look();
  for (let at = 0; at < jobs / 2; at += 1) await queue.add(item.name, item.data);
  const added = await look();
  const worker = new Worker(`sizing-${size}`, async () => ({ ok: true }), {
    connection,
    concurrency: 100,
  });
  const done = new Promise<void>((resolve) => {
    let count = 0;
    worker.on('completed', () => {
      count += 1;
      if (count === jobs) resolve();
    });
  });
  await queue.resume();
  await done;
  const ended = await look();
  await worker.close();

  const rss = Number(
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1],
  );
  const per = (a: number, b: number, count: number) => Math.round((b - a) / count);
  console.log({
    bytesWaiting: per(first.bytes, added.bytes, jobs),
    bytesCompleted: per(first.bytes, ended.bytes, jobs),
    bulkAddMicros: [per(first.gateway, bulk.gateway, jobs / 2), per(first.cpu, bulk.cpu, jobs / 2)],
    addMicros: [per(bulk.gateway, added.gateway, jobs / 2), per(bulk.cpu, added.cpu, jobs / 2)],
    runMicros: [per(added.gateway, ended.gateway, jobs), per(added.cpu, ended.cpu, jobs)],
    gatewayMiB: Math.round(rss / 1_024),
  });
  expect(await queue.getCompletedCount()).toBe(jobs);
});
