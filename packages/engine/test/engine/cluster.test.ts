import { connectRedis } from '@echomq/core/ioredis';
import { AddJobRequest } from '@echomq/proto/messages';
import { eventually, freshQueue, startCluster, useStarted } from '@echomq/testkit';
import { expect, test } from 'vitest';
import { Engine } from '../../src/engine.js';
import { handleAll } from '../test-handler.js';
import { waiting } from '../use-engine.js';
import { patient } from '../use-services.js';
import { openOf, openWork, subscriptionOf } from '../work-link.js';

const used = useStarted(async () => {
  const cluster = await startCluster(3);
  const hosts = cluster.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const client = connectRedis({ url: `redis+cluster://${hosts}` });
  await client.whenReady(AbortSignal.timeout(10_000));
  // The client connects to each node with its first command.
  await eventually(() => client.eachPrimary('PING', []));
  const engine = new Engine({ redis: client, sweep: { stalledIntervalMs: 200 } });
  engine.start();
  return {
    raw: cluster.connect(),
    client,
    engine,
    async [Symbol.asyncDispose]() {
      await engine.close();
      await client.close();
      await cluster.stop();
    },
  };
});

const queueOf = (name: string) => freshQueue(used.value.raw, { name: `{${name}}` });

test('one stream serves queues of several nodes; each wakes it', async () => {
  const { engine } = used.value;
  const names = ['orders', 'mails', 'bills', 'stocks', 'notes'];
  const queues = names.map(queueOf);
  const [first] = queues;
  if (!first) throw new Error('no queue');
  const subscriptions = names.map((queue) => ({ ...subscriptionOf(first), queue }));
  const worker = openWork(engine, openOf(first, { subscriptions }));
  const handled = handleAll(worker);
  await worker.waitFor('opened');
  for (const round of [1, 2]) {
    for (const queue of names) {
      const request = AddJobRequest.fromPartial({
        queue,
        name: 'n',
        options: { jobId: queue + round },
      });
      await engine.services.producer.addJob(request, patient);
    }
    await expect.poll(() => handled.done()).toBe(round * names.length);
  }
  for (const [at, queue] of queues.entries()) {
    const state = await queue.read();
    expect(state.completed).toHaveLength(2);
    expect(state.active).toBeUndefined();
    expect(
      worker.of('delivery').flatMap(({ jobs }) => jobs.map((job) => job.lease?.queue)),
    ).toContain(names[at]);
  }
  worker.cut();
  await worker.over;
});

test('jobs that others left behind are found on every node', async () => {
  const { engine } = used.value;
  const queues = ['lost1', 'lost2', 'lost3', 'lost4'].map(queueOf);
  for (const queue of queues) {
    await queue.seed({ jobs: { '1': { ats: 1 } }, active: ['1'], meta: { x: '1' } });
  }
  const another = new Engine({ redis: used.value.client, sweep: { stalledIntervalMs: 200 } });
  another.start();
  for (const queue of queues) await expect.poll(() => queue.read()).toMatchObject({ wait: ['1'] });
  await another.close();
  expect(engine.ready).toBe(true);
});

test('the two spellings of a queue are one', async () => {
  const { engine } = used.value;
  const queue = queueOf('same');
  await queue.seed(waiting('1', '2'));
  const subscription = { ...subscriptionOf(queue), queue: 'same', maxInFlight: 1 };
  const worker = openWork(engine, openOf(queue, { subscriptions: [subscription] }));
  await worker.waitFor('delivery');
  const window = { queue: '{same}', maxInFlight: 2, maxInFlightBytes: undefined };
  worker.send({ $case: 'window', value: window });
  await worker.waitFor('delivery', 2);
  worker.cut();
  await worker.over;
});
