import { type Gateway, loadConfig, startGateway } from '@echomq/gateway';
import { collect, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { connect, Queue, QueueEvents, Worker } from '../src/index.js';

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const redis = useRedis();

/** A gateway at an address, ended with the test. */
async function gatewayAt(listen: string): Promise<Gateway> {
  const loaded = loadConfig({
    env: {},
    argv: [`--redis-url=${redis.url}`, `--listen=${listen}`, '--drain-timeout-ms=500'],
  });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  const gateway = await startGateway(loaded.config, silent);
  onTestFinished(() => gateway.close());
  return gateway;
}

it('events and waits go on over a gateway that leaves, and nothing that happened meanwhile is missed', async () => {
  const first = await gatewayAt('127.0.0.1:0');
  const other = await gatewayAt('127.0.0.1:0');
  const connection = connect({ address: first.address });
  onTestFinished(() => connection.close());
  const queueEvents = new QueueEvents<string>('orders', { connection });
  const told = collect<string>('events');
  queueEvents.on('error', () => {});
  queueEvents.on('added', ({ name }) => told.push(name));
  const walked = collect<string>('iterated events');
  const walk = async () => {
    for await (const event of queueEvents.events()) {
      if (event.event === 'added') walked.push(event.name);
    }
  };
  await queueEvents.waitUntilReady();
  const walking = walk();
  const job = await new Queue<unknown, string>('orders', { connection }).add('one', {});
  await told.waitFor(1);
  await walked.waitFor(1);
  const end = job.waitUntilFinished(queueEvents, 60_000);
  await first.close();

  // While it is away the queue lives on through another gateway.
  const theirs = connect({ address: other.address });
  onTestFinished(() => theirs.close());
  const queue = new Queue<unknown, string>('orders', { connection: theirs });
  await queue.add('two', {});
  const worker = new Worker('orders', ({ name }) => `${name}!`, { connection: theirs });
  onTestFinished(() => worker.close());
  await queue.waitForJob(job.id, { ttl: 10_000 });

  await gatewayAt(first.address);
  expect(await end).toBe('one!');
  await queue.add('three', {});
  await told.waitFor(3, 20_000);
  await walked.waitFor(3, 20_000);
  // At least once, in order.
  expect([...new Set(told.items)]).toEqual(['one', 'two', 'three']);
  expect([...new Set(walked.items)]).toEqual(['one', 'two', 'three']);
  await queueEvents.close();
  await walking;
}, 90_000);
