import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@echomq/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  add,
  addMany,
  checkBooks,
  PATIENCE_MS,
  scaled,
  span,
  takeOne,
  useRig,
} from '../../src/index.js';

const rig = useRig({ gateways: 2, processes: true });
const startOf = (state: object, id: string) =>
  Number((state as Record<string, Record<string, string>>)[id]?.processedOn);
/** How late a job may begin: a second on a quiet machine. */
const SLACK_MS = scaled(3_000, 1_000);

describe('a delay', () => {
  it('T073 changed delay: the last one that was set counts, whoever sets it while workers sleep', async () => {
    const queue = rig.freshQueue();
    const [one, other] = rig.gateways.map(({ address }) => rig.raw(address));
    if (!one || !other) throw new Error('no gateways');
    const worker = rig.worker(queue.name, () => {});
    await worker.waitUntilReady();
    const far = await add(one, queue.name, { due: { $case: 'delay', value: span(3_600_000) } });
    const near = await add(one, queue.name, { due: { $case: 'delay', value: span(10_000) } });
    const change = (jobId: string, ms: number) =>
      other.call('queue', 'updateJobDelay', { queue: queue.name, jobId, delay: span(ms) });
    // Again and again, each time before it is due.
    for (let times = 0; times < 10; times += 1) {
      await sleep(50);
      await change(near, 1_500);
    }
    await change(far, 2_000);
    const [seconds, micros] = await rig.redis.client.time();
    const set = Number(seconds) * 1_000 + Number(micros) / 1_000;
    await eventually(
      async () => expect((await queue.read()).completed).toHaveLength(2),
      PATIENCE_MS,
    );
    const state = await queue.read();
    // The first was set a call earlier than the clock was read.
    expect(startOf(state, near)).toBeGreaterThanOrEqual(set + 1_500 - 1_000);
    expect(startOf(state, near)).toBeLessThan(set + 1_500 + SLACK_MS);
    expect(startOf(state, far)).toBeGreaterThanOrEqual(set + 2_000 - 1_000);
    expect(startOf(state, far)).toBeLessThan(set + 2_000 + SLACK_MS);
  });

  it.each([-300_000, 300_000])(
    'T076 clock skew: a client whose clock is off by %i ms has its job run after the delay by the store’s clock',
    async (skewMs) => {
      const queue = rig.freshQueue();
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skewMs });
      onTestFinished(() => {
        vi.useRealTimers();
      });
      const ran: string[] = [];
      const worker = rig.worker(queue.name, (job) => void ran.push(job.id));
      await worker.waitUntilReady();
      const [seconds, micros] = await rig.redis.client.time();
      const from = Number(seconds) * 1_000 + Number(micros) / 1_000;
      const { id } = await rig.queue(queue.name).add('x', {}, { delay: scaled(500, 3_000) });
      await eventually(() => expect(ran).toEqual([id]), PATIENCE_MS);
      const start = startOf(await queue.read(), id);
      expect(start).toBeGreaterThanOrEqual(from + scaled(500, 3_000) - 1);
      expect(start).toBeLessThan(from + scaled(500, 3_000) + SLACK_MS);
    },
  );
});

describe('a pause', () => {
  it('T074 pause and delays: what becomes due meanwhile waits, and comes within the bounds of the queue', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    await raw.call('queue', 'setConcurrency', { queue: queue.name, max: 2 });
    const rateLimit = { max: 5, duration: span(300) };
    await raw.call('queue', 'setRateLimit', { queue: queue.name, rateLimit });
    let [running, most] = [0, 0];
    const worker = rig.worker(
      queue.name,
      async () => {
        running += 1;
        most = Math.max(most, running);
        await sleep(5);
        running -= 1;
      },
      { concurrency: 10 },
    );
    await worker.waitUntilReady();
    const items = Array.from({ length: 20 }, (_, at) => ({
      name: 'x',
      options: { due: { $case: 'delay' as const, value: span(scaled(200, 2_000) * (1 + at / 5)) } },
    }));
    await Promise.all([
      raw.call('queue', 'pauseQueue', { queue: queue.name }),
      raw.call('producer', 'addJobs', { queue: queue.name, items }),
    ]);
    const ids = Array.from({ length: 20 }, (_, at) => `${at + 1}`);
    await sleep(scaled(1_200, 15_000));
    expect(await queue.read()).not.toHaveProperty('completed');
    await raw.call('queue', 'resumeQueue', { queue: queue.name });
    await eventually(
      async () => expect((await queue.read()).completed).toHaveLength(20),
      PATIENCE_MS,
    );
    expect(most).toBeLessThanOrEqual(2);
    const state = await queue.read();
    const starts = ids.map((id) => startOf(state, id)).sort((a, b) => a - b);
    const within = starts.map((from) => starts.filter((s) => s >= from && s < from + 300).length);
    expect(Math.max(...within)).toBeLessThanOrEqual(10);
    expect(checkBooks(state, { accepted: ids, atRest: true })).toEqual([]);
  });

  it('T078 counts while paused: what waits is counted and listed as waiting', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const ids = await addMany(raw, queue.name, 100);
    await raw.call('queue', 'pauseQueue', { queue: queue.name });
    ids.push(await add(raw, queue.name));
    const { counts } = await raw.call('queue', 'getJobCounts', { queue: queue.name, states: [1] });
    expect(counts).toEqual([{ state: 1, count: 101 }]);
    const { jobs } = await raw.call('queue', 'listJobs', {
      ...{ queue: queue.name, states: [1], pageSize: 200 },
    });
    expect(jobs.map(({ jobId }) => jobId).sort()).toEqual([...ids].sort());
    await raw.call('queue', 'resumeQueue', { queue: queue.name });
    expect((await takeOne(raw, queue.name)).lease.jobId).toBe(ids[0]);
  });
});
