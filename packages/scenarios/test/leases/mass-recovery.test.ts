import { eventually } from '@echomq/testkit';
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
  const waits = () => rig.redis.client.llen(queue.key('wait'));
  await take(raw, queue.name);
  await eventually(async () => expect(await waits()).toBeGreaterThan(0), PATIENCE_MS);
  const fresh = await add(raw, queue.name);
  const outcome = { kind: complete() };
  const order: string[] = [];
  await eventually(async () => {
    const jobs = await take(raw, queue.name, { maxJobs: 100 });
    order.push(...jobs.map(({ lease }) => lease?.jobId ?? ''));
    expect(await waits()).toBeLessThanOrEqual(1_001);
    const items = jobs.map(({ lease }) => ({ ...(lease ? { lease } : {}), outcome }));
    if (items.length > 0) await raw.call('worker', 'finishJobs', { items });
    expect(order.length).toBe(JOBS + 1);
  }, scaled(2, 10) * PATIENCE_MS);
  expect(new Set(order).size).toBe(JOBS + 1);
  expect(order.indexOf(fresh)).toBeLessThanOrEqual(1_000);
  expect(checkBooks(await queue.read(), { accepted: [...ids, fresh], atRest: true })).toEqual([]);
});
