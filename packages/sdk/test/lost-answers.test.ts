import { type Gateway, loadConfig, startGateway } from '@echomq/gateway';
import { eventually, type TcpProxy, tcpProxy, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { connect, Queue } from '../src/index.js';

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const redis = useRedis();
let gateway: Gateway | undefined;
let proxy: TcpProxy;
let names = 0;

beforeAll(async () => {
  const argv = [`--redis-url=${redis.url}`, '--listen=127.0.0.1:0'];
  const loaded = loadConfig({ env: {}, argv });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  gateway = await startGateway(loaded.config, silent);
});
afterAll(() => gateway?.close());
beforeEach(async () => {
  proxy = await tcpProxy(Number(gateway?.address.split(':').at(-1)));
  onTestFinished(() => proxy.stop());
});

/** A queue of its own, through the hop or past it. */
function queueAt(address: string, name: string): Queue<number> {
  const connection = connect({ address });
  onTestFinished(() => connection.close());
  return new Queue(name, { connection });
}

/** Runs a call whose first answer is on its way back when the link breaks. */
async function answerLost<T>(call: (queue: Queue<number>) => Promise<T>, stored: number) {
  names += 1;
  const name = `lost-${names}`;
  const watched = queueAt(gateway?.address ?? '', name);
  const queue = queueAt(`127.0.0.1:${proxy.port}`, name);
  // The link stands and the server is known before it is slow.
  await queue.getJobCounts();
  proxy.delay(300, 'toClient');
  const called = call(queue);
  await eventually(async () => expect((await watched.getJobCounts()).waiting).toBe(stored));
  proxy.delay(0, 'toClient');
  proxy.cut();
  return { result: await called, watched };
}

it('an add whose answer is lost is repeated and adds once', async () => {
  const { result, watched } = await answerLost((queue) => queue.add('one', 1), 1);
  expect(proxy.accepted).toBeGreaterThan(1);
  const jobs = await watched.getJobs(['waiting']).all();
  expect(jobs.map(({ id }) => id)).toEqual([result.id]);
});

it.each([false, true])('so is a bulk, each item by itself: %s', async (perItem) => {
  const items = [1, 2, 3].map((data) => ({ name: `n${data}`, data }));
  const add = (queue: Queue<number>) =>
    perItem ? queue.addBulk(items, { perItem }) : queue.addBulk(items);
  const { result, watched } = await answerLost(add, 3);
  const jobs = await watched.getJobs(['waiting']).all();
  const ids = result.map((job) => ('id' in job ? job.id : job.reason));
  expect(jobs.map(({ id }) => id).sort()).toEqual([...ids].sort());
});
