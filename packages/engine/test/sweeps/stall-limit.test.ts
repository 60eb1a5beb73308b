import { describe, expect, test } from 'vitest';
import { complete, fail, fetchOf, finishOf, seconds, useEngine } from '../use-engine.js';
import { patient, refused } from '../use-services.js';
import { beat, openOf, openWork, subscriptionOf } from '../work-link.js';

const used = useEngine({ sweep: { stalledIntervalMs: 100, maxStalledCount: 1 } });
const STALLED = 'job stalled more than allowable limit';
const LOCK = seconds(1);

describe('a client that takes a job and disappears, time after time', () => {
  test('T005 stall limit with manual fetch, by calls: after the limit the job is failed without anybody’s help', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: { opts: { attempts: 9 } } } });
    const { worker } = used.engine.services;
    const take = () => fetchOf(queue, { lockDuration: LOCK, wait: seconds(10) });
    const first = await worker.fetchJobs(take(), patient);
    expect(first.jobs[0]).toMatchObject({ stalledCount: 0, attempt: 1, attemptsStarted: 1 });
    // It comes back once, its budget of attempts untouched.
    const second = await worker.fetchJobs(take(), patient);
    expect(second.jobs[0]).toMatchObject({ stalledCount: 1, attempt: 1, attemptsStarted: 2 });
    await expect
      .poll(() => queue.read(), { timeout: 10_000 })
      .toMatchObject({
        failed: [['1', expect.any(Number)]],
        1: { failedReason: STALLED, stc: '2', ats: '2' },
      });
    // The third time there is nothing to take.
    const third = await worker.fetchJobs(fetchOf(queue), patient);
    expect(third.jobs).toEqual([]);
    for (const { jobs } of [first, second]) {
      const late = worker.finishJob(finishOf(jobs[0], complete()), patient);
      expect(await refused(late)).toMatchObject({ reason: 'LOCK_LOST' });
    }
  });

  test('T005 stall limit with manual fetch, over streams: the same', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: { opts: { attempts: 9 } } } });
    const subscriptions = [subscriptionOf(queue, { lockDuration: LOCK })];
    for (const stalledCount of [0, 1]) {
      const worker = openWork(used.engine, openOf(queue, { subscriptions }));
      // Its locks live for a second: it is heard that often.
      const alive = setInterval(() => worker.send(beat([])), 200);
      const [delivery] = await worker.waitFor('delivery');
      clearInterval(alive);
      expect(delivery?.jobs[0]).toMatchObject({ stalledCount, attempt: 1 });
      // Accepted and begun: what dies now counts.
      worker.send(beat(delivery?.jobs ?? [], 99));
      await expect.poll(() => worker.of('heartbeatAck').some(({ seq }) => seq === 99)).toBe(true);
      worker.cut();
      await worker.over;
    }
    await expect
      .poll(() => queue.read(), { timeout: 10_000 })
      .toMatchObject({ failed: [['1', expect.any(Number)]], 1: { failedReason: STALLED } });
  });

  test('T013 lease expiry vs retries, once only: the job runs again with all its attempts', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: { opts: { attempts: 5 } } } });
    const { worker } = used.engine.services;
    const take = () => fetchOf(queue, { lockDuration: LOCK, wait: seconds(10) });
    await worker.fetchJobs(take(), patient);
    const { jobs } = await worker.fetchJobs(take(), patient);
    expect(jobs[0]).toMatchObject({ stalledCount: 1, attempt: 1 });
    await worker.finishJob(finishOf(jobs[0], complete('1')), patient);
    expect(await queue.read()).toMatchObject({
      completed: [['1', expect.any(Number)]],
      1: { atm: '1', stc: '1' },
    });
  });

  test('T013 lease expiry vs retries, then failures only: each of its attempts is used, and none more', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: { opts: { attempts: 5 } } } });
    const { worker } = used.engine.services;
    const take = () => fetchOf(queue, { lockDuration: LOCK, wait: seconds(10) });
    await worker.fetchJobs(take(), patient);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const { jobs } = await worker.fetchJobs(take(), patient);
      expect(jobs[0]).toMatchObject({ stalledCount: 1, attempt, attemptsStarted: attempt + 1 });
      await worker.finishJob(finishOf(jobs[0], fail('boom')), patient);
    }
    expect(await queue.read()).toMatchObject({
      failed: [['1', expect.any(Number)]],
      1: { atm: '5', stc: '1', failedReason: 'boom' },
    });
  });
});
