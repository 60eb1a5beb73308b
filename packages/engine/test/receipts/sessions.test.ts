import { type DeliveredJob, Disposition, type WorkOpen } from '@echomq/proto/messages';
import { collect, eventually, type FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { complete, fail, seconds, useEngine, waiting } from '../use-engine.js';
import {
  beat,
  openOf,
  openWork,
  report,
  sessionOf,
  subscriptionOf,
  type TestWorker,
} from '../work-link.js';
import { useProxiedEngines } from './proxied-engine.js';

const used = useEngine({ metrics: { maxDataPoints: 10 } });
const beyondProxy = useProxiedEngines(used);

/** Where the receipts of the one session of a queue stand. */
async function receipts(queue: FreshQueue): Promise<Record<string, string>> {
  const dump = await queue.read();
  const key = Object.keys(dump).find((name) => name.startsWith('meta:rcpt:'));
  return (key ? dump[key] : {}) as Record<string, string>;
}

const jobsOf = (worker: TestWorker) => worker.of('delivery').flatMap(({ jobs }) => jobs);
const answers = (worker: TestWorker) => worker.of('reportAck');

/** A worker with window 2 at another engine, as it comes back to its session. */
async function comesBack(
  queue: FreshQueue,
  worker: WorkOpen['worker'],
  more: Partial<WorkOpen> = {},
): Promise<TestWorker> {
  const another = await used.another();
  return openWork(another, openOf(queue, { worker, epoch: 1, ...more }, 2));
}

describe('a report that comes again at another engine', () => {
  /** Job 1 reported, the next one fetched in the same step, and nobody has heard of either. */
  const unheard = async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3'));
    const session = sessionOf(`s-${Math.random()}`);
    const before = openWork(used.engine, openOf(queue, { worker: session }, 1));
    const [{ jobs: [job] = [] } = {}] = await before.waitFor('delivery');
    before.send(beat([job]));
    before.send(report(1, job, complete('1')));
    await before.waitFor('delivery', 2);
    return { queue, session, before, job };
  };

  test('is answered as the first time, and brings the same next job under its token', async () => {
    const { queue, session, before, job } = await unheard();
    const worker = await comesBack(queue, session);
    await worker.waitFor('opened');
    worker.send(report(1, job, complete('1')));
    const [ack] = await worker.waitFor('reportAck');
    expect(ack?.outcome).toMatchObject({
      $case: 'result',
      value: { disposition: Disposition.COMPLETED, attemptsMade: 1, replayed: true },
    });
    // Beside job 3, which waited.
    await eventually(() => expect(jobsOf(worker)).toHaveLength(2));
    const job2 = jobsOf(worker).find(({ lease }) => lease?.jobId === '2');
    expect(job2?.lease).toEqual(jobsOf(before)[1]?.lease);
    // The engine where nobody heard of it takes it from nobody.
    before.cut();
    await before.over.catch(() => undefined);
    worker.send(beat(jobsOf(worker)));
    worker.send(report(2, job2, complete('2'), 1));
    const [, second] = await worker.waitFor('reportAck', 2);
    expect(second?.outcome).toMatchObject({ $case: 'result', value: { replayed: false } });
    const dump = await queue.read();
    expect(dump.completed).toHaveLength(2);
    expect(dump['metrics:completed']).toMatchObject({ count: '2' });
    for (const id of ['1', '2']) expect(dump[id]).toMatchObject({ ats: '1', atm: '1' });
  });

  test('brings no next job that was given back', async () => {
    const { queue, session, before, job } = await unheard();
    before.cut();
    await eventually(async () => expect((await queue.read()).wait).toEqual(['3', '2']));
    const worker = await comesBack(queue, session);
    worker.send(report(1, job, complete('1')));
    const [ack] = await worker.waitFor('reportAck');
    expect(ack?.outcome).toMatchObject({ $case: 'result', value: { replayed: true } });
    await eventually(() => expect(jobsOf(worker)).toHaveLength(2));
    expect(jobsOf(worker)).toMatchObject([
      { lease: { jobId: '2' }, attemptsStarted: 2 },
      { lease: { jobId: '3' }, attemptsStarted: 1 },
    ]);
  });

  test('is refused with another body, and is nobody else’s', async () => {
    const { queue, session, job } = await unheard();
    const reused = await comesBack(queue, session);
    reused.send(report(1, job, fail('boom')));
    const [ack] = await reused.waitFor('reportAck');
    expect(ack?.outcome).toMatchObject({ $case: 'error', value: { code: 10 } });
    // The refusal takes nothing from the report that the number stands for.
    reused.send(report(1, job, complete('1')));
    const [, replayed] = await reused.waitFor('reportAck', 2);
    expect(replayed?.outcome).toMatchObject({ $case: 'result', value: { replayed: true } });
    const stranger = await comesBack(queue, sessionOf('other'));
    stranger.send(report(1, job, complete('1')));
    const [refusal] = await stranger.waitFor('reportAck');
    expect(refusal?.outcome).toMatchObject({ $case: 'error', value: { code: 9 } });
  });
});

test('a report whose answer the store could not give brings its next job all the same', async () => {
  const queue = used.queue();
  await queue.seed(waiting('1', '2'));
  const { engine, proxy, graces } = await beyondProxy();
  const worker = openWork(engine, openOf(queue, {}, 1));
  const [{ jobs: [job] = [] } = {}] = await worker.waitFor('delivery');
  worker.send(beat([job]));
  await worker.waitFor('heartbeatAck');
  proxy.delay(150, 'toClient');
  worker.send(report(1, job, complete('1')));
  await eventually(async () => expect((await queue.read()).active).toEqual(['2']));
  proxy.cut();
  proxy.delay(0, 'toClient');
  const [ack] = await worker.waitFor('reportAck');
  expect(ack?.outcome).toMatchObject({ $case: 'result', value: { replayed: true } });
  const [, delivery] = await worker.waitFor('delivery', 2);
  expect(delivery?.jobs).toMatchObject([{ lease: { jobId: '2' } }]);
  graces.pop()?.();
  worker.send(beat(delivery?.jobs ?? []));
  worker.send(report(2, delivery?.jobs[0], complete('2')));
  await worker.waitFor('reportAck', 2);
  const dump = await queue.read();
  expect(dump['metrics:completed']).toMatchObject({ count: '2' });
  expect(dump[2]).toMatchObject({ ats: '1' });
});

describe('the receipts of a session', () => {
  test('are as many as the worker has not acknowledged', async () => {
    const queue = used.queue();
    const [count, window] = [300, 8];
    await queue.seed(waiting(...Array.from({ length: count }, (_, at) => `${at}`)));
    const worker = openWork(used.engine, openOf(queue, {}, window));
    let [reports, through] = [0, 0];
    const answered = new Set<number>();
    const all = collect<void>('all');
    const most: number[] = [];
    worker.onMessage((message) => {
      if (message.$case === 'delivery') {
        for (const job of message.value.jobs) {
          worker.send(report(++reports, job, complete('1'), through));
        }
      }
      if (message.$case !== 'reportAck') return;
      answered.add(message.value.reportId);
      while (answered.has(through + 1)) through++;
      if (answers(worker).length % 50 === 0) {
        void receipts(queue).then((fields) => most.push(Object.keys(fields).length));
      }
      if (answers(worker).length === count) all.push();
    });
    await all.waitFor(1);
    worker.send({ $case: 'heartbeat', value: { ...NO_JOBS, ackedThrough: count } });
    await eventually(async () => expect(await receipts(queue)).toEqual({}));
    expect((await queue.read()).completed).toHaveLength(count);
    expect(Math.max(...most)).toBeLessThanOrEqual(2 * window);
  });

  test('live for two minutes, or for twice the lock if that is longer, from their last write', async () => {
    for (const [lockSeconds, ttlMs] of [
      [1, 120_000],
      [300, 600_000],
    ] as const) {
      const queue = used.queue();
      await queue.seed(waiting('1', '2'));
      const subscriptions = [subscriptionOf(queue, { lockDuration: seconds(lockSeconds) })];
      const worker = openWork(used.engine, openOf(queue, { subscriptions }));
      await eventually(() => expect(jobsOf(worker)).toHaveLength(2));
      for (const [at, job] of jobsOf(worker).entries()) {
        const key = Object.keys(await queue.read()).find((name) => name.startsWith('meta:rcpt:'));
        if (key) await used.redis.client.pexpire(queue.key(key), 1_000);
        worker.send(report(at + 1, job, complete('1')));
        await worker.waitFor('reportAck', at + 1);
        const ttls = Object.entries(await queue.readTtls()).filter(([name]) =>
          name.startsWith('meta:rcpt:'),
        );
        expect(ttls).toHaveLength(1);
        expect(ttls[0]?.[1]).toBeGreaterThan(ttlMs - 30_000);
        expect(ttls[0]?.[1]).toBeLessThanOrEqual(ttlMs);
      }
      worker.cut();
    }
  });

  test('are deleted by the engine to which it has come, too', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3'));
    const session = sessionOf(`s-${Math.random()}`);
    const before = openWork(used.engine, openOf(queue, { worker: session }));
    const jobs = (): readonly DeliveredJob[] => jobsOf(before);
    await eventually(() => expect(jobs()).toHaveLength(3));
    jobs().forEach((job, at) => {
      before.send(report(at + 1, job, complete('1')));
    });
    await before.waitFor('reportAck', 3);
    expect(Object.keys(await receipts(queue)).sort()).toEqual(['1', '2', '3']);
    const worker = await comesBack(queue, session, { ackedThrough: 1 });
    await worker.waitFor('opened');
    worker.send({ $case: 'heartbeat', value: { ...NO_JOBS, ackedThrough: 2 } });
    await eventually(async () => {
      worker.send({ $case: 'heartbeat', value: { ...NO_JOBS, ackedThrough: 2 } });
      expect(Object.keys(await receipts(queue))).toEqual(['3']);
    });
  });
});

const NO_JOBS = {
  seq: 1,
  holdings: { $case: 'held' as const, value: { jobs: [] } },
  load: undefined,
};
