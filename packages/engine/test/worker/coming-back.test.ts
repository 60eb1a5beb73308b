import type { RedisClient, RedisReply } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import { type DeliveredJob, type JobLease, WorkerDirectiveAction } from '@echomq/proto/messages';
import { collect } from '@echomq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { complete, useEngine, waiting } from '../use-engine.js';
import { patient, refused } from '../use-services.js';
import { beat, openOf, openWork, report, type TestWorker } from '../work-link.js';

const used = useEngine();
const clients: RedisClient[] = [];
afterAll(async () => {
  for (const client of clients) await client.close();
});

const jobsOf = (worker: TestWorker) => worker.of('delivery').flatMap(({ jobs }) => jobs);
const ids = (worker: TestWorker) => jobsOf(worker).map(({ lease }) => lease?.jobId);
const leases = (job: DeliveredJob | undefined): JobLease[] => (job?.lease ? [job.lease] : []);

/** An engine that hears what the scripts with a lease in `holds` answered only when it is told to. */
async function deafEngine() {
  const client = connectRedis({ url: used.redis.url });
  clients.push(client);
  await client.whenReady(AbortSignal.timeout(10_000));
  const held = collect<() => void>('answers');
  const gate = { holds: '' };
  const send: RedisClient['send'] = async (command, args): Promise<RedisReply> => {
    const reply = await client.send(command, args);
    const concerns = gate.holds !== '' && /^EVAL/.test(command) && `${args}`.includes(gate.holds);
    if (concerns) await new Promise<void>((go) => held.push(go));
    return reply;
  };
  const redis = new Proxy(client, {
    get: (target, name) => {
      if (name === 'send') return send;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { engine: await used.another({ redis }), held, gate };
}

/** A worker that has begun job 1, at an engine that hears nothing from now on. */
async function begun() {
  const queue = used.queue();
  await queue.seed(waiting('1'));
  const { engine, held, gate } = await deafEngine();
  const open = openOf(queue, {}, 1);
  const worker = openWork(engine, open);
  await expect.poll(() => ids(worker)).toEqual(['1']);
  const [job] = jobsOf(worker);
  worker.send(beat([job]));
  await worker.waitFor('heartbeatAck');
  gate.holds = job?.lease?.leaseToken ?? '';
  return { engine, worker, job, held, again: { ...open, epoch: 1, held: leases(job) } };
}

describe('opened comes first', () => {
  test('where a report of the stream before has its answer while the store is asked what is held', async () => {
    const { engine, worker, job, held, again } = await begun();
    worker.send(report(1, job, complete('1')));
    await held.waitFor(1);
    const next = openWork(engine, again);
    expect(await refused(worker.over)).toMatchObject({ reason: 'SESSION_SUPERSEDED' });
    const [reported, asked] = await held.waitFor(2);
    reported?.();
    await new Promise(setImmediate);
    asked?.();
    await next.waitFor('opened');
    next.send(report(1, job, complete('1')));
    await next.waitFor('reportAck');
    expect(next.came.items).toMatchObject([
      { $case: 'opened' },
      { $case: 'reportAck', value: { reportId: 1, outcome: { value: { replayed: true } } } },
    ]);
    next.cut();
  });

  test('where the server begins to leave meanwhile: its wish follows', async () => {
    const { engine, worker, held, again } = await begun();
    worker.cut();
    const next = openWork(engine, again);
    const [asked] = await held.waitFor(1);
    const gone = engine.drain({ timeoutMs: 2_000 });
    asked?.();
    await next.waitFor('directive');
    expect(next.came.items).toMatchObject([
      { $case: 'opened' },
      { $case: 'directive', value: { action: WorkerDirectiveAction.RECONNECT } },
    ]);
    next.cut();
    await gone;
  });
});

test('a report that the stream before has in hand is answered on the next one, which repeats it', async () => {
  const { engine, worker, job, held, again } = await begun();
  worker.send(report(1, job, complete('1')));
  const [reported] = await held.waitFor(1);
  const next = openWork(engine, { ...again, held: [] });
  await next.waitFor('opened');
  next.send(report(1, job, complete('1')));
  next.send(beat([]));
  await next.waitFor('heartbeatAck');
  expect(next.of('reportAck')).toEqual([]);
  reported?.();
  expect(await next.waitFor('reportAck')).toMatchObject([
    { reportId: 1, outcome: { value: { replayed: true } } },
  ]);
  expect(worker.of('reportAck')).toEqual([]);
  next.cut();
});

test('a job that its worker has brought to another server is not given back by the first', async () => {
  // Once cancels are heard all that is held is renewed: not what follows.
  const idle = openWork(used.engine, openOf(used.queue()));
  await expect.poll(() => used.redis.client.call('PUBSUB', 'NUMPAT')).toBe(1);
  const queue = used.queue();
  await queue.seed(waiting('1'));
  const there = await used.another();
  const open = openOf(queue, {}, 1);
  const worker = openWork(used.engine, open);
  await expect.poll(() => ids(worker)).toEqual(['1']);
  const [job] = jobsOf(worker);
  // A quarter of a second is what the first fetch may have taken.
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The heartbeat that names it is on its way to the first server for ever.
  const next = openWork(there, { ...open, epoch: 1, held: leases(job) });
  const [opened] = await next.waitFor('opened');
  expect(opened?.adopted).toMatchObject([{ leaseToken: job?.lease?.leaseToken }]);
  worker.cut();
  await worker.over.catch(() => undefined);
  // What the first one has asked the store for is done once that has answered it anew.
  await used.engine.services.queue.getJobCounts(
    { queue: queue.name, states: [], dueBefore: undefined },
    patient,
  );
  expect(await queue.read()).toMatchObject({ active: ['1'] });
  next.send(report(1, job, complete('1')));
  expect(await next.waitFor('reportAck')).toMatchObject([{ outcome: { $case: 'result' } }]);
  for (const each of [idle, next]) each.cut();
});

test('a report that is sent again although it was answered brings nothing again that the worker holds', async () => {
  const queue = used.queue();
  await queue.seed(waiting('1', '2', '3'));
  const there = await used.another();
  const open = openOf(queue, {}, 1);
  const worker = openWork(used.engine, open);
  await expect.poll(() => ids(worker)).toEqual(['1']);
  worker.send(report(1, jobsOf(worker)[0], complete('1')));
  await expect.poll(() => ids(worker)).toEqual(['1', '2']);
  const [one, two] = jobsOf(worker);
  worker.send(beat([two]));
  await worker.waitFor('heartbeatAck');
  worker.cut();

  const next = openWork(there, { ...open, epoch: 1, held: leases(two) });
  await next.waitFor('opened');
  next.send(beat([two]));
  next.send(report(1, one, complete('1')));
  const [ack] = await next.waitFor('reportAck');
  expect(ack).toMatchObject({ outcome: { value: { replayed: true } } });
  // What would have been given back has gone by the time of this answer.
  await there.services.queue.getJobState({ queue: queue.name, jobId: '2' }, patient);
  expect(await queue.read()).toMatchObject({ active: ['2'], wait: ['3'] });
  next.send(report(2, two, complete('2')));
  await expect.poll(() => ids(next)).toEqual(['3']);
  next.cut();
});
