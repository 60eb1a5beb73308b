import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { moveStalledJobsToWait, QueueKeys, Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { type NodeProcess, spawnNode, useRedis, useStarted } from '@echomq/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { type ActiveJob, connect, Queue, Worker } from '../src/index.js';
import { RaceBook } from './race-book.js';

const JOBS = 10_000;
/** Workers in this process; two more are processes that get killed. */
const WORKERS = 6;
const CONCURRENCY = 5;
const LOCK_MS = 5_000;
const path = (from: string) => fileURLToPath(new URL(from, import.meta.url));

const redis = useRedis();
const gateway = useStarted(() =>
  spawnNode(path('../../../apps/gateway/build/main.js'), {
    args: [`--redis-url=${redis.url}`, '--listen=127.0.0.1:0', '--max-stalled-count=1000'],
    ready: /listening on/,
  }),
);
const addressOf = ({ readyLine }: NodeProcess) => /listening on (\S+)/.exec(readyLine)?.[1] ?? '';

/** A worker in this process that notes all it does. */
function workHere(name: string, queue: string, book: RaceBook): Worker<{ ms: number }, string> {
  const connection = connect({ address: addressOf(gateway.value) });
  const keyOf = ({ id, attemptsStarted }: ActiveJob<{ ms: number }, string>) =>
    `${name}:${id}:${attemptsStarted}`;
  const worker = new Worker<{ ms: number }, string>(
    queue,
    async (job, { signal }) => {
      const key = keyOf(job);
      book.start(key, Date.now());
      signal.addEventListener('abort', () => book.over(key, Date.now()));
      await sleep(job.data.ms);
      book.over(key, Date.now());
      return key;
    },
    { connection, concurrency: CONCURRENCY, lockDuration: LOCK_MS },
  );
  worker.on('completed', (job) => book.complete(keyOf(job)));
  worker.on('leaseLost', (job) => book.lost(keyOf(job)));
  worker.on('error', () => {});
  onTestFinished(async () => {
    await worker.close({ timeoutMs: 0 });
    await connection.close();
  });
  return worker;
}

/** Works in a process of its own, which is killed while it holds jobs, once so many have ended. */
async function workAndDie(name: string, queue: string, book: RaceBook, after: number) {
  const args = [addressOf(gateway.value), queue, name, `${CONCURRENCY}`, `${LOCK_MS}`];
  const child = await spawnNode(path('fixtures/race-worker.mjs'), { args, ready: /^ready$/ });
  onTestFinished(() => child.stop());
  let read = 0;
  const note = () => {
    for (; read < child.lines.items.length; read += 1) {
      const [what, key = '', ms] = (child.lines.items[read] ?? '').split(' ');
      if (what === 'start') book.start(key, Number(ms));
      else if (what === 'over') book.over(key, Number(ms));
      else if (what === 'complete') book.complete(key);
      else if (what === 'lost') book.lost(key);
    }
  };
  for (; book.completed < after || !book.holds(name); note()) await sleep(5);
  const killedAt = Date.now();
  child.kill('SIGKILL');
  await child.exit.wait();
  note();
  book.killed(name, killedAt);
}

/** Sweeps without a pause and flushes the scripts each second, until all is over. Counts what it gives back. */
async function disturb(queue: string, over: () => boolean): Promise<number> {
  const client = connectRedis({ url: redis.url });
  await client.whenReady(AbortSignal.timeout(10_000));
  const [store, keys] = [new Store(client), new QueueKeys('bull', queue)];
  const options = { maxStalledCount: 1_000, stalledInterval: 1_000, force: true };
  let recovered = 0;
  for (let flushedAt = Date.now(); !over(); await sleep(3)) {
    recovered += (await moveStalledJobsToWait(store, keys, options)).recovered.length;
    if (Date.now() - flushedAt < 1_000) continue;
    flushedAt = Date.now();
    await redis.client.script('FLUSH');
  }
  await client.close();
  return recovered;
}

it('T001 sweep vs activation: eight workers, two of them killed, a sweep every few ms, scripts flushed: each job ends once', {
  timeout: 240_000,
}, async () => {
  const stored = redis.freshQueue();
  await stored.seed({ meta: { 'opts.maxLenEvents': '1000000' } });
  const connection = connect({ address: addressOf(gateway.value) });
  onTestFinished(() => connection.close());
  const queue = new Queue(stored.name, { connection });
  const bulk = Array.from({ length: 1_000 }, (_, at) => ({
    name: 'race',
    data: { ms: (at * 37) % 100 },
  }));
  for (let added = 0; added < JOBS; added += bulk.length) await queue.addBulk(bulk);

  const book = new RaceBook();
  let over = false;
  const disturbing = disturb(queue.name, () => over);
  const workers = Array.from({ length: WORKERS }, (_, at) =>
    workHere(`here-${at}`, queue.name, book),
  );
  await Promise.all([
    workAndDie('killed-0', queue.name, book, JOBS / 5),
    workAndDie('killed-1', queue.name, book, JOBS / 2),
  ]);
  while ((await queue.getJobCounts('completed')).completed < JOBS) await sleep(50);
  // A worker closes once it has heard what became of its runs.
  await Promise.all(workers.map((worker) => worker.close()));
  over = true;
  const recovered = await disturbing;

  const runs = book.byJob();
  expect([book.violations(), book.toldTwice]).toEqual([[], []]);
  const again = [...runs.values()].filter(({ length }) => length > 1);
  expect(again.length).toBeGreaterThan(0);
  expect(recovered).toBeGreaterThanOrEqual(again.length);

  // The whole queue: the jobs, all completed, and nothing else.
  const { events, completed, meta: _, id: counter, ...rest } = await stored.read();
  expect(counter).toBe(`${JOBS}`);
  const ids = (completed as [string, number][]).map(([id]) => id);
  expect(new Set(ids).size).toBe(JOBS);
  const others = Object.keys(rest).filter((key) => !runs.has(key) && !key.startsWith('meta:'));
  expect(others.filter((key) => !['marker', 'stalled-check'].includes(key))).toEqual([]);
  const ends = (events as Record<string, string>[]).filter(({ event }) => event === 'completed');
  expect(ends.map(({ jobId }) => jobId).sort()).toEqual([...ids].sort());
  // What is stored is what the last run brought, and no attempt was counted but that one.
  for (const id of ids) {
    const { returnvalue, atm } = rest[id] as Record<string, string>;
    expect([returnvalue, atm]).toEqual([JSON.stringify(runs.get(id)?.at(-1)?.key), '1']);
  }
});
