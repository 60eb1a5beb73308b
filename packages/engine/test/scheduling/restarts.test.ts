import { describe, expect, it } from 'vitest';
import { complete, fetchOf, finishOf, useEngine } from '../use-engine.js';
import { patient } from '../use-services.js';
import { every, upsertOf } from './schedule-requests.js';

const used = useEngine();
const slotOf = (id: string | undefined) => Number(id?.split(':').at(-1));

describe('a schedule', () => {
  it('T062 long interval vs restarts: goes on at its interval although every server restarts more often than that', async () => {
    const queue = used.queue();
    const request = upsertOf(queue, every(400));
    await used.engine.services.scheduler.upsertScheduler(request, patient);
    const slots: number[] = [];
    const until = Date.now() + 3_000;
    while (Date.now() < until) {
      const engine = await used.another();
      const wait = { seconds: 0, nanos: 150_000_000 };
      const { jobs } = await engine.services.worker.fetchJobs(fetchOf(queue, { wait }), patient);
      for (const job of jobs) {
        slots.push(slotOf(job.lease?.jobId));
        await engine.services.worker.finishJob(finishOf(job, complete()), patient);
      }
      await engine.close();
    }
    const gaps = slots.slice(1).map((slot, i) => slot - (slots[i] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(400);
    expect(slots.length).toBeGreaterThanOrEqual(4);
  });

  it('T059 schedule dies: has its next run, whoever sets it at the same moment while a run is active', async () => {
    const engines = await Promise.all([1, 2, 3, 4].map(() => used.another()));
    for (let round = 0; round < 5; round++) {
      const queue = used.queue();
      const request = upsertOf(queue, every(500));
      const set = engines.map(
        (engine) => () => engine.services.scheduler.upsertScheduler(request, patient),
      );
      await set[0]?.();
      const { worker } = used.engine.services;
      const wait = { seconds: 5, nanos: 0 };
      const { jobs } = await worker.fetchJobs(fetchOf(queue, { wait }), patient);
      const runs = await Promise.all(set.map((one) => one()));
      expect(new Set(runs.map(({ nextJobId }) => nextJobId)).size).toBe(1);
      const { delayed, wait: ready } = await queue.read();
      expect([delayed, ready].flatMap((ids) => (ids ?? []) as unknown[])).toHaveLength(1);
      expect(slotOf(runs[0]?.nextJobId)).toBe(slotOf(jobs[0]?.lease?.jobId) + 500);
    }
  });

  it('runs on time: no more than one timer tick late on a quiet queue', async () => {
    const queue = used.queue();
    const startAt = new Date(Date.now() + 500);
    const request = upsertOf(queue, every(60_000, { startAt }));
    await used.engine.services.scheduler.upsertScheduler(request, patient);
    const wait = { seconds: 5, nanos: 0 };
    const { jobs } = await used.engine.services.worker.fetchJobs(fetchOf(queue, { wait }), patient);
    expect(slotOf(jobs[0]?.lease?.jobId)).toBe(startAt.getTime());
    // 10 ms on an idle machine; this one is shared.
    expect(Date.now() - startAt.getTime()).toBeLessThan(1_000);
  });
});
