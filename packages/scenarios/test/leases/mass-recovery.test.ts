import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@echomq/testkit';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { add, checkBooks, complete, PATIENCE_MS, scaled, take, useRig } from '../../src/index.js';

/** A batch that nobody takes is waited for ten intervals: longer than this test needs. */
const rig = useRig({ sweepMs: 2_000 });

it('T017 mass recovery: thousands come back in batches, a fresh job waits for one of them at most', async () => {
  const queue = rig.freshQueue();
  const raw = rig.raw();
  const JOBS = scaled(3_000, 30_000);
  const ids = Array.from({ length: JOBS }, (_, at) => `job-${at}`);
  await queue.seed({
    active: ids,
    meta: { 'opts.maxLenEvents': '10000' },
    jobs: Object.fromEntries(ids.map((id) => [id, { ats: 1 }])),
  });
  const { client } = rig.redis;
  const waits = () => client.llen(queue.key('wait'));
  // No step may hold the store for long; on a machine that is busy more is the machine's.
  await client.config('SET', 'slowlog-log-slower-than', '500000');
  await client.call('SLOWLOG', 'RESET');
  const answers = answerTimes(rig.redis.connect());
  await take(raw, queue.name);
  await eventually(async () => expect(await waits()).toBeGreaterThan(0), PATIENCE_MS);
  const fresh = new Map([[await add(raw, queue.name), 0]]);
  const outcome = { kind: complete() };
  const order: string[] = [];
  await eventually(async () => {
    const jobs = await take(raw, queue.name, { maxJobs: 100 });
    order.push(...jobs.map(({ lease }) => lease?.jobId ?? ''));
    expect(await waits()).toBeLessThanOrEqual(1_000 + fresh.size);
    const items = jobs.map(({ lease }) => ({ ...(lease ? { lease } : {}), outcome }));
    if (items.length > 0) await raw.call('worker', 'finishJobs', { items });
    // Others come at any point of a batch.
    if (fresh.size < 5 * (order.length / JOBS)) fresh.set(await add(raw, queue.name), order.length);
    expect(order.length).toBe(JOBS + fresh.size);
  }, scaled(2, 10) * PATIENCE_MS);
  expect(new Set(order).size).toBe(order.length);
  expect(fresh.size).toBeGreaterThan(3);
  // Before it: what is left of the batch that waits, and whoever else is fresh.
  const before = [...fresh].map(([id, from]) => order.indexOf(id) - from);
  expect(Math.max(...before)).toBeLessThanOrEqual(1_000 + fresh.size);
  const times = (await answers()).sort((a, b) => a - b);
  expect(times[Math.floor(times.length * 0.99)]).toBeLessThan(scaled(1_000, 500));
  expect(await client.call('SLOWLOG', 'GET', '10')).toEqual([]);
  const accepted = [...ids, ...fresh.keys()];
  expect(checkBooks(await queue.read(), { accepted, atRest: true })).toEqual([]);
});

/** Asks the store again and again. @returns ends it and tells how long each answer took, ms */
function answerTimes(client: Pick<Redis, 'ping'>): () => Promise<number[]> {
  let over = false;
  const asking = (async () => {
    const times: number[] = [];
    while (!over) {
      const from = performance.now();
      await client.ping();
      times.push(performance.now() - from);
      await sleep(2);
    }
    return times;
  })();
  return () => {
    over = true;
    return asking;
  };
}
