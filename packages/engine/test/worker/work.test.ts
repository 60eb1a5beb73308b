import { JobSignalKind } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { complete, fail, seconds, useEngine, waiting } from '../use-engine.js';
import { refused } from '../use-services.js';
import { beat, openOf, openWork, report, subscriptionOf, type TestWorker } from '../work-link.js';

const used = useEngine();

/** Ids of all jobs that came. */
const ids = (worker: TestWorker) =>
  worker.of('delivery').flatMap(({ jobs }) => jobs.map(({ lease }) => lease?.jobId));
const jobsOf = (worker: TestWorker) => worker.of('delivery').flatMap(({ jobs }) => jobs);
const drained = async (worker: TestWorker) => {
  worker.send({ $case: 'drain', value: { reason: '', releaseUnstarted: true } });
  worker.halfClose();
  await worker.over;
};
const activeOf = async (queue: FreshQueue) => (await queue.read()).active ?? [];

const greeting = async (queue: FreshQueue) => {
  const worker = openWork(used.engine, openOf(queue));
  const [opened] = await worker.waitFor('opened');
  await drained(worker);
  return opened?.serverInfo;
};

describe('opening', () => {
  test('is answered at once with the terms, also where there is no job', async () => {
    const queue = used.queue();
    const subscriptions = [
      subscriptionOf(queue, { lockDuration: seconds(12) }),
      subscriptionOf(used.queue()),
    ];
    // The first streams of an engine's life may come before it has met the store.
    await expect.poll(() => greeting(queue)).toMatchObject({ serverVersion: '0.0.0-test' });
    const worker = openWork(used.engine, openOf(queue, { subscriptions }));
    const [opened] = await worker.waitFor('opened');
    expect(opened).toMatchObject({
      resumeTtl: seconds(6),
      heartbeatInterval: seconds(4),
      livenessTimeout: seconds(8),
      acceptTimeout: seconds(4),
      keepaliveInterval: seconds(15),
      adopted: [],
      rejected: [],
    });
    await drained(worker);
  });

  test('something else first, nothing at all, and a second open are violations', async () => {
    const queue = used.queue();
    const first = openWork(used.engine);
    first.send(beat([]));
    expect(await refused(first.over)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'PROTOCOL_VIOLATION',
    });
    const closed = openWork(used.engine);
    closed.halfClose();
    expect(await refused(closed.over)).toMatchObject({ reason: 'PROTOCOL_VIOLATION' });
    const twice = openWork(used.engine, openOf(queue));
    twice.send({ $case: 'open', value: openOf(queue) });
    expect(await refused(twice.over)).toMatchObject({ reason: 'PROTOCOL_VIOLATION' });
  });

  test('bad subscriptions name their field', async () => {
    const queue = used.queue();
    const fieldOf = async (subscriptions: ReturnType<typeof subscriptionOf>[]) => {
      const worker = openWork(used.engine, openOf(queue, { subscriptions }));
      return (await refused(worker.over)).metadata.field;
    };
    const good = subscriptionOf(queue);
    expect(await fieldOf([])).toBe('open.subscriptions');
    expect(await fieldOf([good, good])).toBe('open.subscriptions[1].queue');
    expect(await fieldOf([{ ...good, queue: 'a:b' }])).toBe('open.subscriptions[0].queue');
    expect(await fieldOf([{ ...good, lockDuration: seconds(0.1) }])).toBe(
      'open.subscriptions[0].lock_duration',
    );
  });
});

describe('deliveries', () => {
  test('T110 push overload: never exceed the window; a report brings the next in the same turn', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3', '4', '5'));
    const worker = openWork(used.engine, openOf(queue, {}, 2));
    await expect.poll(() => ids(worker)).toEqual(['1', '2']);
    expect(await activeOf(queue)).toEqual(['2', '1']);
    const [one] = jobsOf(worker);
    worker.send(report(1, one, complete('1')));
    await expect.poll(() => ids(worker)).toEqual(['1', '2', '3']);
    const cases = worker.came.items.map(({ $case }) => $case);
    expect(cases.slice(-2)).toEqual(['reportAck', 'delivery']);
    expect(await queue.read()).toMatchObject({ active: ['3', '2'], wait: ['5', '4'] });
    await drained(worker);
    // Nobody has accepted them: they are there for the next, in order.
    await expect.poll(() => queue.read()).toMatchObject({ wait: ['5', '4', '3', '2'] });
  });

  test('a window of 0 takes nothing until it is opened; one of 2^32-1 takes all', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2', '3'));
    const worker = openWork(used.engine, openOf(queue, {}, 0));
    await worker.waitFor('opened');
    worker.send(beat([]));
    await worker.waitFor('heartbeatAck');
    expect(ids(worker)).toEqual([]);
    const window = { queue: queue.name, maxInFlight: 0xffff_ffff, maxInFlightBytes: undefined };
    worker.send({ $case: 'window', value: window });
    await expect.poll(() => ids(worker)).toEqual(['1', '2', '3']);
    await drained(worker);
  });

  test('what the worker can run at once, and the bound over all queues, are kept', async () => {
    const [one, two] = [used.queue(), used.queue()];
    await one.seed(waiting('1', '2', '3', '4'));
    await two.seed(waiting('1', '2', '3', '4'));
    const subscriptions = [subscriptionOf(one), subscriptionOf(two)];
    const capacity = openWork(
      used.engine,
      openOf(one, { subscriptions, load: { running: 0, capacity: 3 } }),
    );
    await expect.poll(() => ids(capacity)).toHaveLength(3);
    await drained(capacity);
    await expect.poll(() => activeOf(one)).toEqual([]);
    const bounded = openWork(used.engine, openOf(one, { subscriptions, globalMaxInFlight: 5 }));
    await expect.poll(() => ids(bounded)).toHaveLength(5);
    bounded.send(beat([]));
    await bounded.waitFor('heartbeatAck');
    expect(ids(bounded)).toHaveLength(5);
    await drained(bounded);
  });

  test('a job is not taken for a worker that does not read', async () => {
    const queue = used.queue();
    const worker = openWork(used.engine, openOf(queue, {}, 5));
    await worker.waitFor('opened');
    // The fetch of its opening leaves at the end of this turn, before the job is there.
    await new Promise((resolve) => setImmediate(resolve));
    worker.setWritable(false);
    await queue.seed({ ...waiting('1'), marker: [['0', 0]] });
    worker.send(beat([]));
    await worker.waitFor('heartbeatAck');
    expect(await activeOf(queue)).toEqual([]);
    worker.setWritable(true);
    await expect.poll(() => ids(worker)).toEqual(['1']);
    await drained(worker);
  });

  test('a job that is added reaches a worker that waits', async () => {
    const queue = used.queue();
    const worker = openWork(used.engine, openOf(queue));
    await worker.waitFor('opened');
    await queue.seed({ ...waiting('1'), marker: [['0', 0]] });
    await expect.poll(() => ids(worker)).toEqual(['1']);
    await drained(worker);
  });

  test('T023 bulk add wakes one worker: eight workers of one slot each get a bulk of eight', async () => {
    const queue = used.queue();
    const workers = Array.from({ length: 8 }, () => openWork(used.engine, openOf(queue, {}, 1)));
    for (const worker of workers) await worker.waitFor('opened');
    const all = ['1', '2', '3', '4', '5', '6', '7', '8'];
    await queue.seed({ ...waiting(...all), marker: [['0', 0]] });
    await expect.poll(() => workers.flatMap(ids).sort(), { timeout: 1_250 }).toEqual(all);
    for (const worker of workers) expect(ids(worker)).toHaveLength(1);
    for (const worker of workers) await drained(worker);
  });
});

describe('reports', () => {
  test('repeated ones are applied once; a bad one harms nobody', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1', '2'));
    const worker = openWork(used.engine, openOf(queue));
    await expect.poll(() => ids(worker)).toEqual(['1', '2']);
    const [one, two] = jobsOf(worker);
    worker.send(report(1, one, complete('{')));
    worker.send(report(2, one, complete('1')));
    worker.send(report(3, two, fail('no')));
    await worker.waitFor('reportAck', 3);
    worker.send(report(2, one, complete('1')));
    await worker.waitFor('reportAck', 4);
    const acks = worker.of('reportAck').map(({ reportId, outcome }) => [reportId, outcome?.$case]);
    expect(acks.sort()).toEqual([
      [1, 'error'],
      [2, 'result'],
      [2, 'result'],
      [3, 'result'],
    ]);
    await drained(worker);
    const state = await queue.read();
    expect(state).toMatchObject({ '1': { atm: '1', returnvalue: '1' }, '2': { atm: '1' } });
    expect(state.active).toBeUndefined();
  });

  test('progress and logs are written in order, before the end; a lost lease is signalled', async () => {
    const queue = used.queue();
    await queue.seed({ jobs: { '1': { opts: { kl: 1 } } }, wait: ['1'] });
    const worker = openWork(used.engine, openOf(queue));
    await expect.poll(() => ids(worker)).toEqual(['1']);
    const [job] = jobsOf(worker);
    const lease = job?.lease;
    worker.send({ $case: 'progress', value: { lease, progress: Buffer.from('10') } });
    worker.send({ $case: 'logs', value: { lease, lines: ['a', 'b'], keep: undefined } });
    worker.send(report(1, job, complete()));
    await worker.waitFor('reportAck');
    expect(await queue.read()).toMatchObject({ '1': { progress: '10' }, '1:logs': ['b'] });
    worker.send({ $case: 'progress', value: { lease, progress: Buffer.from('20') } });
    const [signal] = await worker.waitFor('jobSignal');
    expect(signal).toMatchObject({ lease, kind: JobSignalKind.LOCK_LOST });
    await drained(worker);
  });
});
