import { loadConfig, startGateway } from '@echomq/gateway';
import { signal, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { connect, Queue, Worker } from '../src/index.js';

const redis = useRedis();
const MANY = 80;
const silent = { info() {}, warn() {}, error() {} };

it('results that are ready in one turn are stored also where the gateway takes small messages', async () => {
  const loaded = loadConfig({
    env: {},
    argv: [
      ...['--listen=127.0.0.1:0', `--redis-url=${redis.url}`, '--max-payload-bytes=65536'],
      ...['--max-atomic-bulk-bytes=65536', '--max-response-bytes=65536'],
      '--max-message-bytes=131072',
    ],
  });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  const gateway = await startGateway(loaded.config, silent);
  const connection = connect({ address: gateway.address });
  const [all, stored] = [signal('all run'), signal('all are stored')];
  const { name } = redis.freshQueue();
  let [begun, ended] = [0, 0];
  const handler = async () => {
    begun += 1;
    if (begun === MANY) all.resolve();
    await all.wait();
    return 'x'.repeat(12_000);
  };
  const worker = new Worker(name, handler, { connection, concurrency: MANY, lockDuration: 30_000 });
  onTestFinished(async () => {
    await worker.close({ timeoutMs: 0 });
    await connection.close();
    await gateway.close();
  });
  worker.on('completed', () => {
    ended += 1;
    if (ended === MANY) stored.resolve();
  });
  const queue = new Queue(name, { connection });
  await queue.addBulk(Array.from({ length: MANY }, () => ({ name: 'x', data: {} })));
  await stored.wait(10_000);
  expect(begun).toBe(MANY);
});
