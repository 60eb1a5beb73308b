import { connectRedis } from '@echomq/core/ioredis';
import { embedded, Worker } from '@echomq/sdk/embedded';
import { startCluster, useStarted } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { bullModule, PEERS } from '../src/oracle/peers.js';

const used = useStarted(() => startCluster(3));
/** A connection is made in the background, a link to a node with its first command. */
const WAIT = { timeout: 20_000 };

it.each(PEERS)('getWorkers of bullmq %s sees workers on a cluster of three nodes', async (peer) => {
  const bull = bullModule(peer);
  const cluster = used.value;
  const hosts = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const client = connectRedis({ url: `redis+cluster://${hosts}` });
  onTestFinished(() => client.close());
  const connection = embedded({ redis: client, compat: { workerList: true } });
  onTestFinished(() => connection.close());
  // Their slots are on different nodes.
  const names = ['orders', 'mails', 'bills'].map((name) => `${name}-${peer.replaceAll('.', '-')}`);
  for (const name of names) {
    const worker = new Worker(name, () => undefined, { connection });
    onTestFinished(() => worker.close());
    await worker.waitUntilReady();
  }
  const redis = cluster.connect();
  for (const name of names) {
    const queue = new bull.Queue(`{${name}}`, { connection: redis as never });
    onTestFinished(() => queue.close());
    await expect.poll(() => queue.getWorkersCount(), WAIT).toBe(1);
    const [worker] = await queue.getWorkers();
    expect(worker?.rawname).toContain(`${Buffer.from(`{${name}}`).toString('base64')}:w:echomq-`);
  }
  const idle = new bull.Queue(`{idle-${peer}}`, { connection: redis as never });
  onTestFinished(() => idle.close());
  expect(await idle.getWorkers()).toEqual([]);
});
