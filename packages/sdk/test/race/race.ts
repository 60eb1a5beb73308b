import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { moveStalledJobsToWait, QueueKeys, Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { type NodeProcess, spawnNode, type UsedRedis } from '@echomq/testkit';
import { expect, onTestFinished } from 'vitest';
import { type ActiveJob, connect, EchoMQError, Queue, Worker } from '../../src/index.js';
import { RaceBook } from '../race-book.js';

const CONCURRENCY = 5;
const LOCK_MS = 5_000;

/**
 * What a worker may be told of in a race: that a lease is over, or that a busy machine kept it silent for too long.
 * Anything else is a fault.
 */
const TOLERATED: ReadonlySet<string> = new Set([
  ...['LOCK_LOST', 'LOCK_NOT_OWNED', 'WORKER_UNRESPONSIVE'],
]);

/** How large a race is. */
export interface Race {
  readonly redis: UsedRedis;
  readonly gateway: NodeProcess;
  readonly jobs: number;
  /** Workers in this process; two more are processes that get killed. */
  readonly workers: number;
  /** It is given up after this; then jobs are missing. */
  readonly limitMs: number;
}

const path = (from: string) => fileURLToPath(new URL(from, import.meta.url));

const addressOf = ({ readyLine }: NodeProcess) => /listening on (\S+)/.exec(readyLine)?.[1] ?? '';

/** By what an error is told from others: its reason, else its words. */
const reasonOf = (error: Error): string =>
  error instanceof EchoMQError ? error.reason : error.message.replaceAll(' ', '_');

/** A worker in this process that notes all it does. */
function workHere(
  gateway: NodeProcess,
  name: string,
  queue: string,
  book: RaceBook,
): Worker<{ ms: number }, string> {
  const connection = connect({ address: addressOf(gateway) });
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
  worker.on('error', (error) => book.problem(name, reasonOf(error)));
  onTestFinished(async () => {
    await worker.close({ timeoutMs: 0 });
    await connection.close();
  });
  return worker;
}

/** Works in a process of its own, which is killed while it holds jobs, once so many have ended. */
async function workAndDie(
  { gateway, name, queue }: { gateway: NodeProcess; name: string; queue: string },
  book: RaceBook,
  { after, over }: { readonly after: number; readonly over: () => boolean },
) {
  const args = [addressOf(gateway), queue, name, `${CONCURRENCY}`, `${LOCK_MS}`];
  const child = await spawnNode(path('../fixtures/race-worker.mjs'), { args, ready: /^ready$/ });
  onTestFinished(() => child.stop());
  let read = 0;
  const note = () => {
    for (; read < child.lines.items.length; read += 1) {
      const [what, key = '', ms] = (child.lines.items[read] ?? '').split(' ');
      if (what === 'start') book.start(key, Number(ms));
      else if (what === 'over') book.over(key, Number(ms));
      else if (what === 'complete') book.complete(key);
      else if (what === 'lost') book.lost(key);
      else if (what === 'error') book.problem(name, key);
    }
  };
  for (; book.completed < after || !book.holds(name); note()) {
    if (over()) return;
    await sleep(5);
  }
  const killedAt = Date.now();
  child.kill('SIGKILL');
  await child.exit.wait();
  note();
  book.killed(name, killedAt);
}

/** Sweeps without a pause and flushes the scripts each second, until all is over. Counts what it gives back. */
async function disturb(redis: UsedRedis, queue: string, over: () => boolean): Promise<number> {
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

/**
 * Workers, two of them killed, a sweep every few ms, scripts flushed: each job ends once.
 *
 * @throws where the books or the store do not agree with that
 */
export async function race({ redis, gateway, jobs, workers: count, limitMs }: Race): Promise<void> {
  const stored = redis.freshQueue();
  await stored.seed({ meta: { 'opts.maxLenEvents': '1000000' } });
  const connection = connect({ address: addressOf(gateway) });
  onTestFinished(() => connection.close());
  const queue = new Queue(stored.name, { connection });
  const bulk = Array.from({ length: Math.min(1_000, jobs) }, (_, at) => ({
    name: 'race',
    data: { ms: (at * 37) % 100 },
  }));
  for (let added = 0; added < jobs; added += bulk.length) await queue.addBulk(bulk);

  const book = new RaceBook();
  let over = false;
  const late = performance.now() + limitMs;
  const isOver = () => over || performance.now() > late;
  const disturbing = disturb(redis, queue.name, isOver);
  const workers = Array.from({ length: count }, (_, at) =>
    workHere(gateway, `here-${at}`, queue.name, book),
  );
  await Promise.all([
    workAndDie({ gateway, name: 'killed-0', queue: queue.name }, book, {
      after: jobs / 5,
      over: isOver,
    }),
    workAndDie({ gateway, name: 'killed-1', queue: queue.name }, book, {
      after: jobs / 2,
      over: isOver,
    }),
  ]);
  while ((await queue.getJobCounts('completed')).completed < jobs && !isOver()) await sleep(50);
  // A worker closes once it has heard what became of its runs.
  await Promise.all(workers.map((worker) => worker.close({ timeoutMs: 5_000 })));
  over = true;
  const recovered = await disturbing;

  const runs = book.byJob();
  expect([book.violations(), book.toldTwice]).toEqual([[], []]);
  expect(book.problems.filter(([, reason]) => !TOLERATED.has(reason))).toEqual([]);
  const again = [...runs.values()].filter(({ length }) => length > 1);
  expect(again.length).toBeGreaterThan(0);
  expect(recovered).toBeGreaterThanOrEqual(again.length);

  // The whole queue: the jobs, all completed, and nothing else.
  const { events, completed, meta: _, id: counter, ...rest } = await stored.read();
  expect(counter).toBe(`${jobs}`);
  const ids = (completed as [string, number][]).map(([id]) => id);
  expect(new Set(ids).size).toBe(jobs);
  const others = Object.keys(rest).filter((key) => !runs.has(key) && !key.startsWith('meta:'));
  expect(others.filter((key) => !['marker', 'stalled-check'].includes(key))).toEqual([]);
  const ends = (events as Record<string, string>[]).filter(({ event }) => event === 'completed');
  expect(ends.map(({ jobId }) => jobId).sort()).toEqual([...ids].sort());
  // What is stored is what the last run brought, and no attempt was counted but that one.
  for (const id of ids) {
    const { returnvalue, atm } = rest[id] as Record<string, string>;
    expect([returnvalue, atm]).toEqual([JSON.stringify(runs.get(id)?.at(-1)?.key), '1']);
  }
}
