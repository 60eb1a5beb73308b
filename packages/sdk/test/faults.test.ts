import { fileURLToPath } from 'node:url';
import { type Gateway, loadConfig, startGateway } from '@echomq/gateway';
import { collect, eventually, signal, spawnNode, tcpProxy, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  connect,
  type Handler,
  LeaseLost,
  Queue,
  Worker,
  type WorkerOptions,
} from '../src/index.js';
import { next } from './places.js';

const LOCK_MS = 1_500;
const WORKER = fileURLToPath(new URL('./fixtures/race-worker.mjs', import.meta.url));
const silent = { info: () => {}, warn: () => {}, error: () => {} };
const redis = useRedis();
let gateway: Gateway | undefined;
let names = 0;

beforeAll(async () => {
  const loaded = loadConfig({
    env: {},
    argv: [
      `--redis-url=${redis.url}`,
      '--listen=127.0.0.1:0',
      `--default-lock-ms=${LOCK_MS}`,
      '--stalled-interval-ms=50',
    ],
  });
  if (loaded.kind !== 'run') throw new Error('no configuration');
  gateway = await startGateway(loaded.config, silent);
});
afterAll(() => gateway?.close());

/** A queue of its own, on a connection that nothing disturbs. */
function undisturbed(): Queue<unknown, unknown> {
  const connection = connect({ address: gateway?.address ?? '' });
  onTestFinished(() => connection.close());
  names += 1;
  return new Queue(`faults-${names}`, { connection });
}

/** A worker at an address. */
function workerAt(
  address: string,
  queue: string,
  handler: Handler<unknown, unknown>,
  options: Partial<WorkerOptions> = {},
) {
  const connection = connect({ address });
  const worker = new Worker(queue, handler, { connection, ...options });
  worker.on('error', () => {});
  onTestFinished(async () => {
    await worker.close({ timeoutMs: 0 });
    await connection.close();
  });
  return worker;
}

/** A hop between worker and gateway that can go wrong. */
async function hop() {
  const port = Number(gateway?.address.split(':').at(-1));
  const proxy = await tcpProxy(port);
  onTestFinished(() => proxy.stop());
  return proxy;
}

describe('a worker that the network cuts off', () => {
  it('T015 overlap without notice, silently: its handler is told before the job runs elsewhere, its result changes nothing', async () => {
    const queue = undisturbed();
    const proxy = await hop();
    const order = collect<string>('what happened');
    const late = signal('the first handler has ended');
    const first = workerAt(
      `127.0.0.1:${proxy.port}`,
      queue.name,
      async (_job, { signal: stop }) => {
        await new Promise((resolve) => stop.addEventListener('abort', resolve));
        order.push(`told ${(stop.reason as Error).name}`);
        late.resolve();
        return 'first';
      },
    );
    const active = next(first, 'active');
    const { id } = await queue.add('x', {});
    await active;
    const second = workerAt(gateway?.address ?? '', queue.name, () => {
      order.push('runs elsewhere');
      return 'second';
    });
    const completed = next(second, 'completed');
    proxy.pause();
    await completed;
    await late.wait();
    expect(order.items).toEqual(['told LeaseLost', 'runs elsewhere']);
    const stored = await queue.getJob(id);
    expect(stored).toMatchObject({ state: 'completed', returnvalue: 'second', attemptsStarted: 2 });
  });

  it('for a moment: it finishes what it runs, once', async () => {
    const queue = undisturbed();
    const proxy = await hop();
    const go = signal('the link was cut');
    let runs = 0;
    const worker = workerAt(`127.0.0.1:${proxy.port}`, queue.name, async (job) => {
      runs += 1;
      await job.updateProgress(1);
      await go.wait();
      return job.name;
    });
    const { id } = await queue.add('x', {});
    // What it says after it has accepted the job has arrived.
    await eventually(async () => expect((await queue.getJob(id))?.progress).toBe(1));
    const down = next(worker, 'disconnected');
    const completed = next(worker, 'completed');
    proxy.cut();
    await down;
    go.resolve();
    await completed;
    expect(runs).toBe(1);
    expect(await queue.getJob(id)).toMatchObject({
      state: 'completed',
      attemptsStarted: 1,
      stalledCount: 0,
    });
  });

  it('while its report is on the way: the job is finished once, and it hears of it', async () => {
    const queue = undisturbed();
    const proxy = await hop();
    const worker = workerAt(`127.0.0.1:${proxy.port}`, queue.name, async () => {
      // What the worker says still arrives; what is answered does not.
      proxy.swallow('toClient');
      return 'kept';
    });
    const active = next(worker, 'active');
    const { id } = await queue.add('x', {});
    await active;
    await eventually(async () => expect((await queue.getJob(id))?.returnvalue).toBe('kept'));
    const completed = next(worker, 'completed');
    proxy.cut();
    proxy.resume();
    expect((await completed)[1]).toBe('kept');
    expect(await queue.getJob(id)).toMatchObject({ returnvalue: 'kept', attemptsMade: 1 });
    expect(await queue.getJobCounts('completed', 'failed', 'active')).toEqual({
      completed: 1,
      failed: 0,
      active: 0,
    });
  });

  it('over and over: every job is finished once', async () => {
    const queue = undisturbed();
    const proxy = await hop();
    const runs = new Map<string, number>();
    const worker = workerAt(
      `127.0.0.1:${proxy.port}`,
      queue.name,
      async (job) => {
        runs.set(job.id, (runs.get(job.id) ?? 0) + 1);
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
      { concurrency: 10 },
    );
    const done = collect<string>('jobs');
    worker.on('completed', (job) => {
      done.push(job.id);
      // Each eighth end, and not by the clock: on a busy machine a link would live for less than a round trip.
      if (done.items.length % 8 === 0 && done.items.length < 300) proxy.cut();
    });
    await queue.addBulk(Array.from({ length: 300 }, (_, n) => ({ name: 'x', data: n })));
    await done.waitFor(300, 45_000);
    expect(proxy.accepted).toBeGreaterThan(20);
    expect(new Set(done.items).size).toBe(300);
    expect(done.items).toHaveLength(300);
    expect(await queue.getJobCounts('completed', 'active', 'failed')).toEqual({
      completed: 300,
      active: 0,
      failed: 0,
    });
    // A job in hand for less than a round trip when the link breaks may run again; none stalls.
    const stalls = (await queue.getJobs(['completed']).all()).map((job) => job.stalledCount);
    expect(Math.max(...stalls)).toBe(0);
  }, 60_000);
});

describe('a worker whose process is frozen, with its connection open', () => {
  it('loses its job to another; when it goes on it is told, and its late result changes nothing', async () => {
    const queue = undisturbed();
    const address = gateway?.address ?? '';
    const args = [address, queue.name, 'frozen', '1', `${LOCK_MS}`];
    const frozen = await spawnNode(WORKER, { args, ready: /^ready$/, readyLimitMs: 30_000 });
    const told = (what: string) => frozen.lines.items.filter((line) => line.startsWith(what));
    const { id } = await queue.add('x', { ms: 500 });
    await eventually(() => expect(told(`start frozen:${id}:1`)).toHaveLength(1), 10_000);
    frozen.pause();
    const frozenAt = Date.now();
    const second = workerAt(address, queue.name, () => Date.now());
    const [, startedAt] = await next(second, 'completed');
    // Renewals end with the liveness timeout, two thirds of a lock; then the lock lapses. The rest is a slow machine's.
    expect((startedAt as number) - frozenAt).toBeLessThan(2 * LOCK_MS + 5_000);
    expect((startedAt as number) - frozenAt).toBeGreaterThan(LOCK_MS / 3);
    frozen.resume();
    await eventually(() => expect(told(`lost frozen:${id}:1`)).toHaveLength(1), 20_000);
    await eventually(() => expect(told(`over frozen:${id}:1`).length).toBeGreaterThan(0), 20_000);
    // It is as good as new.
    await second.close();
    const { id: later } = await queue.add('x', { ms: 1 });
    await eventually(() => expect(told(`complete frozen:${later}:1`)).toHaveLength(1), 20_000);
    expect(told(`complete frozen:${id}`)).toEqual([]);
    expect(await queue.getJob(id)).toMatchObject({
      ...{ state: 'completed', returnvalue: startedAt, attemptsStarted: 2, stalledCount: 1 },
    });
    frozen.kill('SIGTERM');
    await frozen.exit.wait(20_000);
  }, 60_000);
});

describe('a worker whose process is blocked for longer than its lease, and its gateway with it', () => {
  it('is told, and its late result is refused', async () => {
    const queue = undisturbed();
    const worker = workerAt(
      gateway?.address ?? '',
      queue.name,
      async (job, { signal: stop }) => {
        if (job.attemptsStarted > 1) return 'second run';
        const hold = new Int32Array(new SharedArrayBuffer(4));
        Atomics.wait(hold, 0, 0, 1.5 * LOCK_MS);
        if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve));
        return 'first run';
      },
      { concurrency: 2 },
    );
    const lost = next(worker, 'leaseLost');
    const completed = next(worker, 'completed');
    const { id } = await queue.add('x', {});
    expect((await lost)[1]).toBeInstanceOf(LeaseLost);
    expect((await completed)[1]).toBe('second run');
    expect(await queue.getJob(id)).toMatchObject({ state: 'completed', returnvalue: 'second run' });
    expect(await queue.getJobCounts('completed', 'failed')).toEqual({ completed: 1, failed: 0 });
  });
});
