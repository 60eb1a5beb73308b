import { collect, jobHash } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { fetchOf, useEngine, waiting } from '../use-engine.js';
import { patient } from '../use-services.js';
import { openOf, openWork } from '../work-link.js';

const log = collect<{ event: string; facts: object }>('log');
const note = (event: string, facts: object) => log.push({ event, facts });
const used = useEngine({
  sweep: { stalledIntervalMs: 200 },
  logger: { info: () => undefined, warn: note, error: note },
});

/** Active jobs without a lock, as dead workers leave them. */
const ownerless = (...ids: string[]) => ({
  jobs: Object.fromEntries(ids.map((id) => [id, { ats: 1 }])),
  active: ids,
});

describe('the stalled sweep', () => {
  test('brings the jobs of a dead worker back, and they are handed out again', async () => {
    const queue = used.queue();
    await queue.seed({ ...ownerless('1'), meta: { x: '1' } });
    const worker = openWork(used.engine, openOf(queue));
    const [delivery] = await worker.waitFor('delivery');
    expect(delivery?.jobs[0]).toMatchObject({ stalledCount: 1, attemptsStarted: 2, attempt: 1 });
    worker.cut();
    await worker.over;
  });

  test('also of a queue that nobody has asked for, found by a search', async () => {
    const queue = used.queue();
    await queue.seed({ ...ownerless('1'), meta: { x: '1' } });
    // Foreign keys of the same shape harm nothing.
    await used.redis.client.set('bull:a:b:meta', 'x');
    await used.redis.client.set('bull:foreign:active', 'x');
    await used.redis.client.hset('bull:foreign:meta', 'x', '1');
    await used.another();
    await expect.poll(() => queue.read()).toMatchObject({ wait: ['1'], '1': { stc: '1' } });
    await used.redis.client.del('bull:a:b:meta', 'bull:foreign:active', 'bull:foreign:meta');
  });

  test('fails a job over the limit without anybody’s help, and says so', async () => {
    const queue = used.queue();
    await queue.seed({ jobs: { '1': { stc: 1 } }, active: ['1'] });
    const { worker } = used.engine.services;
    await worker.fetchJobs(fetchOf(queue), patient);
    await expect
      .poll(() => queue.read())
      .toMatchObject({
        failed: [['1', expect.any(Number)]],
        '1': { failedReason: 'job stalled more than allowable limit' },
      });
    expect(log.items).toContainEqual({
      event: 'sweep.stalled',
      facts: { queue: queue.name, recovered: 0, failed: 1, unbegun: 0, more: false },
    });
  });

  test('leaves the jobs of living workers alone', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    const { worker } = used.engine.services;
    const { jobs } = await worker.fetchJobs(fetchOf(queue), patient);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const state = await queue.read();
    expect(state).toMatchObject({ active: ['1'], '1:lock': jobs[0]?.lease?.leaseToken });
    expect(state['1']).not.toHaveProperty('stc');
  });

  test('T017 mass recovery: thousands come back in batches, the next only when the last is taken', async () => {
    const queue = used.queue();
    const ids = Array.from({ length: 1_500 }, (_, at) => `job-${at}`);
    await queue.seed(ownerless(...ids));
    const { worker } = used.engine.services;
    await worker.fetchJobs(fetchOf(queue), patient);
    const waits = () => used.redis.client.llen(queue.key('wait'));
    await expect.poll(waits).toBe(1_000);
    const taken = new Set<string>();
    while (taken.size < 1_500) {
      const { jobs } = await worker.fetchJobs(fetchOf(queue, { maxJobs: 100 }), patient);
      for (const job of jobs) taken.add(job.lease?.jobId ?? '');
      expect(await waits()).toBeLessThanOrEqual(1_000);
    }
    expect([...taken].sort()).toEqual([...ids].sort());
  });
});

test('T017 mass recovery: a fresh job runs after one batch, not after all of them', async () => {
  const queue = used.queue();
  const ids = Array.from({ length: 3_500 }, (_, at) => `job-${at}`);
  await queue.seed(ownerless(...ids));
  // Ten intervals are the patience with a batch that nobody takes.
  const { worker } = (await used.another({ sweep: { stalledIntervalMs: 2_000 } })).services;
  await worker.fetchJobs(fetchOf(queue), patient);
  const waits = () => used.redis.client.llen(queue.key('wait'));
  await expect.poll(waits, { timeout: 15_000 }).toBe(1_000);
  const fresh = ['fresh-1', 'fresh-2'];
  for (const id of fresh) {
    await used.redis.client.hset(queue.key(id), jobHash({}));
    await used.redis.client.lpush(queue.key('wait'), id);
  }
  const order: string[] = [];
  const take = async (maxJobs: number) => {
    const { jobs } = await worker.fetchJobs(fetchOf(queue, { maxJobs }), patient);
    order.push(...jobs.map(({ lease }) => lease?.jobId ?? ''));
  };
  for (let part = 0; part < 10; part += 1) await take(100);
  // Many looks of the sweep go by: those that waited for the batch are next.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await waits()).toBe(2);
  await take(100);
  expect(order.slice(1_000)).toEqual(fresh);
  await expect.poll(waits, { timeout: 15_000 }).toBe(1_000);
});

test('due jobs of a queue that was served and from which nobody takes are promoted', async () => {
  const queue = used.queue();
  const { worker } = used.engine.services;
  const due = Date.now() + 300;
  await queue.seed({ jobs: { '1': { delay: 300 } }, delayed: [['1', due * 4_096]] });
  await worker.fetchJobs(fetchOf(queue), patient);
  expect(await queue.read()).toMatchObject({ delayed: [['1', due * 4_096]] });
  await expect.poll(() => queue.read()).toMatchObject({ wait: ['1'], '1': { delay: '0' } });
  expect(Date.now()).toBeGreaterThanOrEqual(due);
});
