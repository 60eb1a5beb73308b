import { systemClock } from '@echomq/engine';
import { embedded, Queue, Worker } from '@echomq/sdk/embedded';
import { collect, signal, useRedis } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { bullModule, PEERS } from '../src/oracle/peers.js';

const redis = useRedis();

/** How often an engine looks at idle queues whatever their markers say, ms. */
const POLL_MS = 1_000;
/** A clock whose timers of that span never fire: what wakes such an engine is the marker alone. */
const withoutPolls = {
  ...systemClock,
  setTimeout: (then: () => void, ms: number) =>
    systemClock.setTimeout(then, ms === POLL_MS ? 2 ** 31 - 1 : ms),
};

/** A connection to an engine of its own. */
function engine(options: object = {}) {
  const connection = embedded({ redis: redis.url, ...options });
  onTestFinished(() => connection.close());
  return connection;
}

it('a slot that is freed at another server is taken at once, by the marker', async () => {
  const { name } = redis.freshQueue();
  const here = engine();
  const there = engine({ clock: withoutPolls });
  const queue = new Queue(name, { connection: here });
  await queue.setGlobalConcurrency(1);
  const go = signal('the first job may end');
  const first = new Worker(name, () => go.wait(15_000), { connection: here });
  await queue.add('held', {});
  await expect.poll(() => queue.getActiveCount(), { timeout: 10_000 }).toBe(1);
  const ran = collect<string>('runs');
  const second = new Worker(name, (job) => ran.push(job.name), { connection: there });
  onTestFinished(() => second.close());
  await second.waitUntilReady();
  await queue.add('next', {});
  // It takes nothing more as it ends: nobody is handed the slot.
  const closed = first.close();
  go.resolve();
  await closed;
  await ran.waitFor(1, 15_000);
});

it.each(PEERS)(
  'a slot that bullmq %s frees without a word is taken at once, by the event of the end',
  async (peer) => {
    const bull = bullModule(peer);
    const { name } = redis.freshQueue();
    const connection = { path: redis.server.socketPath ?? '', maxRetriesPerRequest: null };
    const queue = new Queue(name, { connection: engine({ clock: withoutPolls }) });
    await queue.setGlobalConcurrency(1);
    const go = signal('the first job may end');
    const worker = new bull.Worker(name, () => go.wait(15_000), { connection });
    await worker.waitUntilReady();
    await queue.add('held', {});
    await expect.poll(() => queue.getActiveCount(), { timeout: 10_000 }).toBe(1);
    const ran = collect<string>('runs');
    const second = new Worker(name, (job) => ran.push(job.name), { connection: queue.connection });
    onTestFinished(() => second.close());
    await second.waitUntilReady();
    await queue.add('next', {});
    // The peer writes no marker, and no look of the engine's own would find the job: the event must.
    const closed = worker.close();
    go.resolve();
    await closed;
    await ran.waitFor(1, 15_000);
  },
);
