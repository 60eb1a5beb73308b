import { connectRedis } from '@echomq/core/ioredis';
import { JobSignalKind } from '@echomq/proto/messages';
import { eventually, freshQueue, startCluster, useStarted } from '@echomq/testkit';
import { expect, test } from 'vitest';
import { Engine } from '../../src/engine.js';
import { beat, openOf, openWork } from '../work-link.js';
import { cancelJob } from './cancel-requests.js';

const used = useStarted(async () => {
  const cluster = await startCluster(3);
  const hosts = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const engines = [1, 2].map(() => {
    const client = connectRedis({ url: `redis+cluster://${hosts}` });
    return { client, engine: new Engine({ redis: client }) };
  });
  for (const { client, engine } of engines) {
    await client.whenReady(AbortSignal.timeout(10_000));
    await eventually(() => client.eachPrimary('PING', []));
    engine.start();
  }
  return {
    raw: cluster.connect(),
    engines: engines.map(({ engine }) => engine),
    async [Symbol.asyncDispose]() {
      for (const { client, engine } of engines) {
        await engine.close();
        await client.close();
      }
      await cluster.stop();
    },
  };
});

test.each(['orders', 'mails', 'bills'])(
  'in a cluster a cancel reaches the holder at another server, whichever node has the queue: %s',
  async (name) => {
    const [holding, asking] = used.value.engines;
    if (!holding || !asking) throw new Error('no engines');
    const queue = freshQueue(used.value.raw, { name: `{${name}}` });
    await queue.seed({ wait: ['1'], jobs: { 1: {} } });
    const worker = openWork(holding, openOf(queue));
    const [delivery] = await worker.waitFor('delivery');
    worker.send(beat([delivery?.jobs[0]]));
    const { delivered } = await cancelJob(asking, { name }, '1');
    expect(delivered).toBe(true);
    const [signal] = await worker.waitFor('jobSignal');
    expect(signal?.kind).toBe(JobSignalKind.CANCEL_REQUESTED);
    worker.cut();
    await worker.over;
  },
);
