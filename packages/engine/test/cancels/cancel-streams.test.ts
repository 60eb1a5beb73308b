import { connectRedis } from '@echomq/core/ioredis';
import { Disposition, JobSignalKind, JobState, LeaseStatus } from '@echomq/proto/messages';
import type { FreshQueue } from '@echomq/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { Engine } from '../../src/engine.js';
import { complete, fail, seconds, useEngine, waiting } from '../use-engine.js';
import { beat, openOf, openWork, report, sessionOf, subscriptionOf } from '../work-link.js';
import { cancelJob } from './cancel-requests.js';

/** Locks live for 30 s, renewals come every 10 s: what arrives sooner came over the channel. */
const used = useEngine();
const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

/** A queue but for the workers that are noted with it, at times of their own. */
async function jobsOf(queue: FreshQueue) {
  const state = Object.entries(await queue.read());
  // Whoever waits for a job pops the marker when it likes.
  const apart = (key: string) => key === 'marker' || key.startsWith('meta:workers:');
  return Object.fromEntries(state.filter(([key]) => !apart(key)));
}

/** A stream that holds a job. */
async function holder(engine: Engine, queue: FreshQueue, lockSeconds = 30) {
  await queue.seed({ wait: ['1'], jobs: { 1: { opts: { attempts: 5 } } } });
  const subscriptions = [subscriptionOf(queue, { lockDuration: seconds(lockSeconds) })];
  const open = openOf(queue, { subscriptions, worker: sessionOf(`s-${queue.name}`) });
  const worker = openWork(engine, open);
  const [delivery] = await worker.waitFor('delivery');
  const job = delivery?.jobs[0];
  worker.send(beat([job]));
  await worker.waitFor('heartbeatAck');
  return { worker, job, open };
}

describe('a stream that holds the job', () => {
  test.each(['the same', 'another'])('is told at once, asked over %s server', async (which) => {
    const queue = used.queue();
    const { worker, job } = await holder(used.engine, queue);
    const asking = which === 'another' ? await used.another() : used.engine;
    const began = performance.now();
    const asked = await cancelJob(asking, queue, '1');
    expect(asked).toEqual({ delivered: true, state: JobState.ACTIVE });
    const [signal] = await worker.waitFor('jobSignal');
    // The bound is 1 s; a busy machine gets five.
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(signal).toMatchObject({ lease: job?.lease, kind: JobSignalKind.CANCEL_REQUESTED });
    // Once is enough.
    await cancelJob(asking, queue, '1');
    worker.send(report(1, job, complete('1')));
    const [ack] = await worker.waitFor('reportAck');
    const disposition = Disposition.FAILED;
    expect(ack?.outcome).toMatchObject({ $case: 'result', value: { disposition } });
    expect(worker.of('jobSignal')).toHaveLength(1);
    expect(await queue.read()).toMatchObject({ 1: { failedReason: 'cancelled', atm: '1' } });
    worker.cut();
    await worker.over;
  });

  test('loses it to a forced cancel; its report is refused, and the next job comes', async () => {
    const queue = used.queue();
    const { worker, job } = await holder(used.engine, queue);
    const forced = await cancelJob(used.engine, queue, '1', { force: true });
    expect(forced).toEqual({ delivered: true, state: JobState.FAILED });
    const [signal] = await worker.waitFor('jobSignal');
    expect(signal).toMatchObject({ lease: job?.lease, kind: JobSignalKind.LOCK_LOST });
    const ended = await jobsOf(queue);
    worker.send(report(1, job, fail('late')));
    const [ack] = await worker.waitFor('reportAck');
    expect(ack?.outcome?.$case).toBe('error');
    expect(await jobsOf(queue)).toEqual(ended);
    await queue.seed({ ...waiting('2'), marker: [['0', 0]] });
    const deliveries = await worker.waitFor('delivery', 2);
    expect(deliveries[1]?.jobs[0]?.lease?.jobId).toBe('2');
    worker.cut();
    await worker.over;
  });

  test('is told when it comes back, having missed it', async () => {
    const queue = used.queue();
    const { worker, job, open } = await holder(used.engine, queue);
    worker.cut();
    await worker.over;
    await cancelJob(used.engine, queue, '1');
    const held = job?.lease ? [job.lease] : [];
    const other = await used.another();
    const again = openWork(other, { ...open, epoch: 1, held });
    const [opened] = await again.waitFor('opened');
    const status = LeaseStatus.CANCEL_REQUESTED;
    expect(opened).toMatchObject({ adopted: [{ status }], rejected: [] });
    const [signal] = await again.waitFor('jobSignal');
    expect(signal).toMatchObject({ lease: job?.lease, kind: JobSignalKind.CANCEL_REQUESTED });
    again.cut();
    await again.over;
  });
});

/** An engine whose client hears no channel. */
async function deafEngine(): Promise<Engine> {
  const client = connectRedis({ url: used.redis.url });
  await client.whenReady(AbortSignal.timeout(10_000));
  Object.defineProperty(client, 'subscribe', { value: undefined });
  const engine = new Engine({ redis: client });
  engine.start();
  closing.push(async () => {
    await engine.close();
    await client.close();
  });
  return engine;
}

test('what was published and not heard is told with the next renewal', async () => {
  const queue = used.queue();
  const { worker, job } = await holder(await deafEngine(), queue, 1);
  const beats = setInterval(() => worker.send(beat([job])), 200);
  await cancelJob(used.engine, queue, '1');
  const [signal] = await worker.waitFor('jobSignal');
  clearInterval(beats);
  expect(signal).toMatchObject({ kind: JobSignalKind.CANCEL_REQUESTED });
  worker.cut();
  await worker.over;
});

test('a subscription that broke is made again, and what it missed is looked up', async () => {
  const queue = used.queue();
  const { worker } = await holder(used.engine, queue);
  const { client } = used.redis;
  await expect.poll(() => client.pubsub('NUMPAT')).toBeGreaterThan(0);
  // The request without its publication, as a link loses it.
  const processedOn = (await client.hget(queue.key('1'), 'processedOn')) ?? '';
  await client.hset(queue.key('1'), 'echomq.cancel', processedOn);
  await client.set(queue.key('meta:cancel:1'), '1');
  await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  const [signal] = await worker.waitFor('jobSignal');
  expect(signal).toMatchObject({ kind: JobSignalKind.CANCEL_REQUESTED });
  worker.cut();
  await worker.over;
});

test('one connection listens while there are streams, and none before', async () => {
  const listening = async () => {
    const list = String(await used.redis.client.call('CLIENT', 'LIST', 'TYPE', 'pubsub'));
    return list.split('\n').filter((line) => line !== '').length;
  };
  const engine = await used.another();
  const before = await listening();
  const { worker } = await holder(engine, used.queue());
  const second = openWork(engine, openOf(used.queue()));
  await second.waitFor('opened');
  await expect.poll(listening).toBe(before + 1);
  await engine.close();
  await expect.poll(listening).toBe(before);
  for (const { over } of [worker, second]) await over.catch(() => undefined);
});
