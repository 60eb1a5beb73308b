import { JobSignalKind } from '@echomq/proto/messages';
import { eventually, type FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { fetchOf, seconds, useEngine, waiting } from '../use-engine.js';
import { patient } from '../use-services.js';
import { openOf, openWork } from '../work-link.js';
import { type FastWorker, farClock, fastWorker, tokenOf } from './fast-worker.js';

const used = useEngine({ sweep: { stalledIntervalMs: 600_000 }, clock: farClock });
const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `j${from + at}`);

const marked = async (queue: FreshQueue) => {
  const dump = await queue.read();
  const jobs = Object.entries(dump).filter(([, value]) => {
    return typeof value === 'object' && value !== null && 'echomq.unbegun' in value;
  });
  return jobs.map(([id]) => id).sort();
};

/** A worker that has run 40 jobs fast and then holds what it got of another 10. */
async function holding(queue: FreshQueue, more: Parameters<typeof fastWorker>[2] = {}) {
  await queue.seed(waiting(...ids(0, 40)));
  const worker = fastWorker(used.engine, queue, more);
  await worker.waitFor('reportAck', 40);
  worker.hold();
  await queue.seed({ jobs: Object.fromEntries(ids(40, 50).map((id) => [id, { data: { id } }])) });
  await queue.seed({ wait: [...ids(40, 50)].reverse(), marker: { 0: 0 } });
  return worker;
}

describe('a worker with short handlers far away', () => {
  test('holds as many again as it has slots, whatever its window; those are marked', async () => {
    const queue = used.queue();
    const worker = await holding(queue);
    await eventually(() => expect([...worker.running, ...worker.waiting]).toHaveLength(4));
    const dump = await queue.read();
    expect(dump.active).toHaveLength(4);
    const waits = worker.waiting.map((job) => job.lease?.jobId);
    expect(await marked(queue)).toEqual([...waits].sort());
    // One that begins is marked no longer. The handler before it was a long one: nothing takes its place.
    worker.endOne();
    await eventually(async () => {
      expect([worker.running.length, worker.waiting.length]).toEqual([2, 1]);
      expect(await marked(queue)).toEqual(worker.waiting.map((job) => job.lease?.jobId));
    });
    expect((await queue.read()).active).toHaveLength(3);
    worker.cut();
  });

  test('has never had more than that in hand', async () => {
    const queue = used.queue();
    const worker = await holding(queue, { capacity: 3, window: 100 });
    await eventually(() => expect([...worker.running, ...worker.waiting]).toHaveLength(6));
    let [inHand, most] = [0, 0];
    for (const { $case, value } of worker.came.items) {
      if ($case === 'delivery') inHand += value.jobs.length;
      else if ($case === 'reportAck') inHand -= 1;
      most = Math.max(most, inHand);
    }
    expect(most).toBe(6);
    worker.cut();
  });

  test.each([
    ['its window', { window: 3 }, {}, 3],
    ['a bound over all queues', { globalMaxInFlight: 3 }, {}, 3],
    ['a global concurrency', {}, { concurrency: 100 }, 2],
    ['a rate limit of the queue', {}, { max: 1_000, duration: 1_000 }, 2],
  ])('keeps %s', async (_what, more, meta, most) => {
    const queue = used.queue();
    await queue.seed({ meta });
    const worker = await holding(queue, more);
    await eventually(() => expect([...worker.running, ...worker.waiting]).toHaveLength(most));
    worker.say();
    worker.say();
    await worker.waitFor('heartbeatAck', worker.of('heartbeatAck').length + 2);
    expect((await queue.read()).active).toHaveLength(most);
    worker.cut();
  });

  test('with a rate limit of its own holds nothing beyond its slots', async () => {
    const queue = used.queue();
    const rateLimit = { max: 1_000, duration: seconds(1) };
    const limited = openOf(queue, {}, 10).subscriptions.map((each) => ({ ...each, rateLimit }));
    const worker = await holding(queue, { subscriptions: limited });
    await eventually(() => expect(worker.running).toHaveLength(2));
    expect([worker.waiting, await marked(queue)]).toEqual([[], []]);
    worker.cut();
  });
});

describe('jobs that wait at a worker', () => {
  test('go back to the front in their order when the stream ends: no stall, no attempt', async () => {
    const queue = used.queue();
    const worker = await holding(queue);
    await eventually(() => expect(worker.waiting).toHaveLength(2));
    worker.say();
    await worker.waitFor('heartbeatAck', worker.of('heartbeatAck').length + 1);
    const [first, second] = worker.waiting.map((job) => job.lease?.jobId ?? '');
    const before = await queue.read();
    worker.cut();
    await eventually(async () => {
      expect((await queue.read()).active).toEqual(
        worker.running.map((j) => j.lease?.jobId).reverse(),
      );
    });
    const dump = await queue.read();
    expect(dump.wait).toEqual([...(before.wait as string[]), second, first]);
    for (const id of [first, second]) {
      for (const field of ['stc', 'atm', 'echomq.unbegun']) {
        expect(dump[id ?? '']).not.toHaveProperty(field);
      }
    }
  });

  test('are asked for when another has a slot, the last one first, and come to that one', async () => {
    const queue = used.queue();
    const worker = await holding(queue);
    await eventually(() => expect(worker.waiting).toHaveLength(2));
    // What is still in the queue would be taken first.
    await used.redis.client.del(queue.key('wait'));
    const other = openWork(used.engine, openOf(queue, { load: { running: 0, capacity: 1 } }));
    const [signal] = await worker.waitFor('jobSignal');
    expect(signal).toMatchObject({ kind: JobSignalKind.RECALL });
    const last = worker.waiting.at(-1);
    expect(signal?.lease?.leaseToken).toBe(tokenOf(last));
    worker.release(last);
    const [delivery] = await other.waitFor('delivery');
    expect(delivery?.jobs.map((job) => job.lease?.jobId)).toEqual([last?.lease?.jobId]);
    expect(delivery?.jobs[0]?.attempt).toBe(1);
    worker.cut();
    other.cut();
  });

  test('are asked for when a poll waits', async () => {
    const queue = used.queue();
    const worker = await holding(queue);
    await eventually(() => expect(worker.waiting).toHaveLength(2));
    await used.redis.client.del(queue.key('wait'));
    const context = { signal: new AbortController().signal };
    const request = fetchOf(queue, { wait: seconds(30) });
    const polled = used.engine.services.worker.fetchJobs(request, context);
    await worker.waitFor('jobSignal');
    const last = worker.waiting.at(-1);
    worker.release(last);
    expect((await polled).jobs.map((job) => job.lease?.jobId)).toEqual([last?.lease?.jobId]);
    worker.cut();
  });

  test.each<[string, (queue: FreshQueue, worker: FastWorker) => Promise<unknown>]>([
    ['pauses', ({ name }) => used.engine.services.queue.pauseQueue({ queue: name }, patient)],
    [
      'is held',
      ({ name }) =>
        used.engine.services.queue.holdQueue({ queue: name, duration: seconds(9) }, patient),
    ],
    [
      'may run fewer at once',
      ({ name }) => used.engine.services.queue.setConcurrency({ queue: name, max: 1 }, patient),
    ],
    [
      'is held by an outcome',
      (_, worker) => {
        worker.endOne({ $case: 'rateLimited', value: { duration: seconds(9) } });
        return worker.waitFor('reportAck', 41);
      },
    ],
  ])('are asked for at once when the queue %s, the last one first', async (_what, act) => {
    const queue = used.queue();
    const worker = await holding(queue);
    await eventually(() => expect(worker.waiting).toHaveLength(2));
    const asked = [...worker.waiting].reverse().map(tokenOf);
    await act(queue, worker);
    await new Promise<void>((resolve) => setImmediate(resolve));
    const signals = worker.of('jobSignal');
    expect(signals.map(({ kind }) => kind)).toEqual([JobSignalKind.RECALL, JobSignalKind.RECALL]);
    expect(signals.map(({ lease }) => lease?.leaseToken)).toEqual(asked);
    worker.cut();
  });

  test('are asked for within a second, whoever else there may be; then no more come', async () => {
    const queue = used.queue();
    const worker = await holding(queue);
    await eventually(() => expect(worker.waiting).toHaveLength(2));
    const since = performance.now();
    const signals = await worker.waitFor('jobSignal', 2);
    // Locks of 30 s: the session's ticks are a second apart.
    expect(performance.now() - since).toBeLessThan(900);
    expect(signals.map(({ kind }) => kind)).toEqual([JobSignalKind.RECALL, JobSignalKind.RECALL]);
    const tokens = worker.waiting.map(tokenOf);
    // The last one first where one look finds both.
    expect(signals.map(({ lease }) => lease?.leaseToken).sort()).toEqual([...tokens].sort());
    for (const job of [...worker.waiting].reverse()) worker.release(job);
    await worker.waitFor('reportAck', 42);
    worker.say();
    await worker.waitFor('heartbeatAck', worker.of('heartbeatAck').length + 1);
    expect((await queue.read()).active).toHaveLength(2);
    expect(await marked(queue)).toEqual([]);
    worker.cut();
  });
});

describe('a job that a sweep has given back as not begun', () => {
  test('waits at no worker: it is taken once a slot is free, and counts as begun', async () => {
    const queue = used.queue();
    const worker = await holding(queue);
    await eventually(() => expect(worker.waiting).toHaveLength(2));
    const { wait } = await queue.read();
    // It is at the front: it would be the next.
    await queue.seed({ jobs: { swept: { processedOn: 5, 'echomq.unbegun': 5 } } });
    await used.redis.client.rpush(queue.key('wait'), 'swept');
    const held = () => [...worker.running, ...worker.waiting].map((job) => job.lease?.jobId);
    const [, ...three] = held();
    worker.endOne();
    await worker.waitFor('reportAck', 41);
    expect([held(), (await queue.read()).wait]).toEqual([three, [...(wait as string[]), 'swept']]);
    worker.endOne();
    worker.endOne();
    await eventually(() => expect(held()).toContain('swept'));
    const { swept } = (await queue.read()) as { swept: Record<string, string> };
    expect(swept['echomq.unbegun']).not.toBe(swept.processedOn);
    worker.cut();
  });

  test('is not asked for again and again by a worker whose slots are full', async () => {
    const queue = used.queue();
    await queue.seed(waiting(...ids(0, 40)));
    const worker = fastWorker(used.engine, queue);
    await worker.waitFor('reportAck', 40);
    worker.hold();
    await queue.seed({ jobs: { a: {}, b: {}, swept: { processedOn: 5, 'echomq.unbegun': 5 } } });
    await queue.seed({ wait: ['swept', 'b', 'a'], marker: { 0: 0 } });
    await eventually(() => expect(worker.running).toHaveLength(2));
    worker.say();
    await worker.waitFor('heartbeatAck', worker.of('heartbeatAck').length + 1);
    // The marker stays for somebody who has a slot.
    await eventually(async () => {
      expect(await queue.read()).toMatchObject({ wait: ['swept'], marker: [['0', 0]] });
    });
    const other = openWork(used.engine, openOf(queue, { load: { running: 0, capacity: 1 } }));
    const [delivery] = await other.waitFor('delivery');
    expect(delivery?.jobs.map((job) => job.lease?.jobId)).toEqual(['swept']);
    worker.cut();
    other.cut();
  });
});
