import { setTimeout as sleep } from 'node:timers/promises';
import type { UsedRedis } from '@echomq/testkit';
import { expect, onTestFinished } from 'vitest';
import { connect, Queue } from '../../src/index.js';
import { RaceBook } from '../race-book.js';
import { Fleet, fleetWorker } from './fleet.js';

/** What the books of a rolling restart say. */
export interface RollingBooks {
  /** Jobs that were added, and as many ran and were completed, once each. */
  readonly jobs: number;
  /** Runs that began on one stream and ended on another. */
  readonly adopted: number;
  /** How long each gateway took to leave, ms. */
  readonly leftInMs: readonly number[];
}

/** How large a rolling restart is. */
export interface RollingRestart {
  /** Jobs that each of the two producers adds in a second, for as long as gateways come and go. */
  readonly rate: number;
  readonly workers: number;
  /** Each so many jobs one is long: it begins on one stream and ends on another, if a worker moves meanwhile. */
  readonly longEach: number;
  /** How often each of the two gateways is restarted. */
  readonly rounds: number;
}

const CONCURRENCY = 5;
/** Half of the default: a busy machine may keep a delivery from its worker for a third of it, and none is given away. */
const LOCK_MS = 15_000;
/** A long job runs longer than a gateway takes to leave. */
const LONG_MS = 2_000;

/**
 * Two gateways are restarted one after the other while jobs are added and worked on. Each job is added once, runs once
 * and is completed once; each gateway ends by itself.
 */
export async function rollingRestart(
  redis: UsedRedis,
  size: RollingRestart,
): Promise<RollingBooks> {
  const stored = redis.freshQueue();
  await stored.seed({ meta: { 'opts.maxLenEvents': '1000000' } });
  const fleet = await Fleet.start(2, [
    `--redis-url=${redis.url}`,
    '--drain-timeout-ms=3000',
    '--stalled-interval-ms=1000',
  ]);
  const frontOf = (at: number) => fleet.fronts[at % 2] ?? (fleet.fronts[0] as never);
  const book = new RaceBook();
  const workers = await Promise.all(
    Array.from({ length: size.workers }, (_, at) => {
      const worker = { name: `w${at}`, concurrency: CONCURRENCY, lockMs: LOCK_MS };
      return fleetWorker(frontOf(at), stored.name, worker, book);
    }),
  );
  const note = () => {
    for (const worker of workers) worker.note();
  };

  let restarted = false;
  const producers = [0, 1].map((at) =>
    produce(`127.0.0.1:${frontOf(at).port}`, stored.name, size, () => restarted),
  );
  const ends: { code: number | null; tookMs: number }[] = [];
  for (let round = 0; round < size.rounds; round++) {
    for (const at of [0, 1]) ends.push(await fleet.restart(at));
  }
  restarted = true;
  const added = (await Promise.all(producers)).flat();
  for (note(); book.completed < added.length; note()) await sleep(20);

  // Nobody had to be ended by force, and everybody has moved.
  expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));
  for (const worker of workers) expect(worker.streams.length).toBeGreaterThan(size.rounds);
  // Books: added once, run once, told once.
  expect(new Set(added).size).toBe(added.length);
  expect([book.violations(), book.toldTwice]).toEqual([[], []]);
  const runs = book.byJob();
  expect([...runs.keys()].sort()).toEqual([...added].sort());
  expect([...runs.values()].filter(({ length }) => length !== 1)).toEqual([]);
  // Some have begun on one stream and ended on another: adopted, not run again.
  const adopted = workers.flatMap(({ name, streams }) =>
    [...runs.values()].flat().filter(({ key, startedAt, overAt }) => {
      return key.startsWith(`${name}:`) && streams.some((at) => startedAt < at && at < overAt);
    }),
  );
  expect(adopted.length).toBeGreaterThan(0);
  await Promise.all(workers.map((worker) => worker.stop()));
  // The store: the jobs, all completed by that run, no attempt and no stall more.
  const dump = await stored.read();
  expect((dump.completed as [string, number][]).map(([id]) => id).sort()).toEqual(
    [...added].sort(),
  );
  for (const list of ['wait', 'active', 'failed', 'delayed']) expect(dump).not.toHaveProperty(list);
  for (const id of added) {
    const { returnvalue, atm, stc } = dump[id] as Record<string, string>;
    const key = JSON.stringify(runs.get(id)?.[0]?.key);
    expect([returnvalue, atm, stc]).toEqual([key, '1', undefined]);
  }
  const completed = (dump.events as Record<string, string>[]).filter(
    ({ event }) => event === 'completed',
  );
  expect(completed.map(({ jobId }) => jobId).sort()).toEqual([...added].sort());
  const leftInMs = ends.map(({ tookMs }) => Math.round(tookMs));
  return { jobs: added.length, adopted: adopted.length, leftInMs };
}

/** Adds jobs through an address that stays, until the gateways have been restarted. Returns their ids. */
async function produce(
  address: string,
  name: string,
  { rate, longEach }: RollingRestart,
  restarted: () => boolean,
): Promise<string[]> {
  const connection = connect({ address });
  onTestFinished(() => connection.close());
  const queue = new Queue(name, { connection });
  const ids: string[] = [];
  for (const beganAt = performance.now(); !restarted(); await sleep(100)) {
    const due = Math.ceil((rate * (performance.now() - beganAt)) / 1_000);
    const jobs = Array.from({ length: Math.min(500, due - ids.length) }, (_, at) => {
      const place = ids.length + at;
      return { name: 'roll', data: { ms: place % longEach === 0 ? LONG_MS : (place * 37) % 40 } };
    });
    ids.push(...(await queue.addBulk(jobs)).map(({ id }) => id));
  }
  return ids;
}
