import { fileURLToPath } from 'node:url';
import { connect, Worker } from '@echomq/sdk';
import { spawnNode, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { PEERS } from '../src/oracle/peers.js';
import { bullHouse } from '../src/peers/bull-house.js';

const GATEWAY = fileURLToPath(new URL('../../../apps/gateway/build/main.js', import.meta.url));
const READY = /^echomq-gateway listening on (\S+)$/;

const redis = useRedis();

/** A worker at a gateway with these settings, and the queue as BullMQ has it. */
async function served(peer: (typeof PEERS)[number], env: Readonly<Record<string, string>>) {
  const { name } = redis.freshQueue();
  const gateway = await spawnNode(GATEWAY, {
    ready: READY,
    readyLimitMs: 30_000,
    env: { ECHOMQ_LISTEN: '127.0.0.1:0', ECHOMQ_REDIS_URL: redis.url, ...env },
  });
  const connection = connect({ address: READY.exec(gateway.readyLine)?.[1] ?? '' });
  onTestFinished(() => connection.close());
  const worker = new Worker(name, () => undefined, { connection });
  onTestFinished(() => worker.close());
  await worker.waitUntilReady();
  const house = bullHouse(peer, redis.server.socketPath ?? '', name);
  onTestFinished(() => house.close());
  return house.queue;
}

it.each(PEERS)('getWorkers of bullmq %s sees a gateway that was asked to be seen', async (peer) => {
  const queue = await served(peer, { ECHOMQ_COMPAT_WORKER_LIST: 'true' });
  await expect.poll(() => queue.getWorkersCount(), { timeout: 10_000 }).toBe(1);
  const [worker] = await queue.getWorkers();
  const base64 = Buffer.from(queue.name).toString('base64');
  expect(worker).toMatchObject({
    name: queue.name,
    rawname: expect.stringContaining(`bull:${base64}:w:echomq-`),
  });
});

it('and no other', async () => {
  const queue = await served('6.7.0', {});
  const other = await served('6.7.0', { ECHOMQ_COMPAT_WORKER_LIST: 'true' });
  await expect.poll(() => other.getWorkersCount(), { timeout: 10_000 }).toBe(1);
  expect(await queue.getWorkers()).toEqual([]);
});
