import { Queue } from '@echomq/sdk';
import { embedded } from '@echomq/sdk/embedded';
import { eventually, useRedis, useStarted } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bullModule, PEERS, type Peer } from '../src/oracle/peers.js';

const redis = useRedis();
const used = useStarted(async () => {
  const connection = await embedded({ redis: redis.url });
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
});

/** A queue of BullMQ's with jobs of every kind, some of them at their end, and the same queue as EchoMQ sees it. */
async function bullQueue(peer: Peer) {
  const { Queue: BullQueue, Worker, FlowProducer } = bullModule(peer);
  const { name, base } = redis.freshQueue();
  const connection = { path: redis.server.socketPath ?? '', maxRetriesPerRequest: null };
  const queue = new BullQueue(name, { connection });
  const flows = new FlowProducer({ connection });
  const worker = new Worker(name, undefined, { connection });
  onTestFinished(async () => {
    for (const each of [worker, flows, queue]) await each.close();
  });
  await queue.add('plain', {}, { jobId: 'a' });
  await queue.add('fails', {}, { jobId: 'b' });
  for (const id of ['a', 'b']) {
    const job = await worker.getNextJob(`t-${id}`);
    if (id === 'a') await job?.moveToCompleted(1, 't-a', false);
    else await job?.moveToFailed(new Error('x'), 't-b', false);
  }
  await queue.add('waits', {}, { jobId: 'c' });
  await queue.add('late', {}, { jobId: 'd', delay: 3_600_000 });
  await queue.add('ranked', {}, { jobId: 'e', priority: 3 });
  await queue.add('unique', {}, { jobId: 'f', deduplication: { id: 'only' } });
  await queue.upsertJobScheduler('tick', { pattern: '0 0 1 1 *' }, { name: 'tick' });
  await flows.add({
    ...{ name: 'parent', queueName: name, opts: { jobId: 'p' } },
    children: [{ name: 'child', queueName: name, opts: { jobId: 'k' } }],
  });
  const echo = new Queue(name, { connection: used.value.connection });
  return {
    queue,
    worker,
    echo,
    key: (suffix: string) => `${base}${suffix}`,
    BullWorker: Worker,
    connection,
  };
}

describe.each(PEERS)('a queue that BullMQ %s has made', (peer) => {
  it('has nothing broken', async () => {
    const { echo, worker } = await bullQueue(peer);
    expect(await echo.inspect({ settleMs: 50 })).toEqual([]);
    // Nor while one of its workers holds a job.
    await worker.getNextJob('held');
    expect(await echo.inspect({ settleMs: 50 })).toEqual([]);
  });

  it('is mended whatever was broken in it, and its own worker works it off', async () => {
    const { echo, worker, key, BullWorker, connection } = await bullQueue(peer);
    const { client } = redis;
    // A worker that died; its lock lapsed while nobody swept.
    const held = await worker.getNextJob('died');
    await client.del(key(`${held?.id}:lock`), key('stalled'));
    // A hash that somebody deleted, one that an old trim left behind, a copy of an id, entries and keys of 4.x.
    await client.del(key('e'));
    await client.zrem(key('completed'), 'a');
    await client.rpush(key('wait'), 'd', '0:1700000000000');
    await client.zadd(key('priority'), '1', 'c');
    // A child that is gone without a word to its parent; an owner of a deduplication id that is gone.
    await client.lrem(key('wait'), 0, 'k');
    await client.lrem(key('wait'), 0, 'f');
    await client.del(key('k'), key('f'));
    // The next run of the scheduler is gone.
    const [run] = await client
      .zrange(key('delayed'), '0', '-1')
      .then((ids) => ids.filter((id) => id.startsWith('repeat:')));
    await client.zrem(key('delayed'), `${run}`);
    await client.del(key(`${run}`));
    const faults = await echo.inspect({ settleMs: 2_100 });
    expect(faults.map(({ kind, subject }) => `${kind} ${subject}`).sort()).toEqual([
      'deduplication-stray only',
      'in-two-places d',
      'job-lost a',
      'job-missing e',
      `lease-missing ${held?.id}`,
      'legacy-entry 0:1700000000000',
      'legacy-key priority',
      'parent-stuck p',
      'scheduler-stopped tick',
    ]);
    const repairs = await echo.repair(faults);
    expect(repairs.filter(({ done }) => done === undefined)).toEqual([]);
    expect(await echo.inspect({ settleMs: 50 })).toEqual([]);
    const finisher = new BullWorker(echo.name, async () => 'ok', { connection });
    onTestFinished(() => finisher.close());
    await eventually(
      async () =>
        expect(
          await echo.getJobCounts('waiting', 'prioritized', 'active', 'waiting-children'),
        ).toEqual({
          ...{ waiting: 0, prioritized: 0, active: 0, 'waiting-children': 0 },
        }),
      10_000,
    );
    expect(await echo.getJob('p')).toMatchObject({ state: 'completed' });
    expect(await echo.getJob('a')).toMatchObject({ state: 'completed', returnvalue: 1 });
    expect(await echo.getJob('d')).toMatchObject({ state: 'delayed' });
  });

  it('gets back what was parked and left', async () => {
    const { echo, queue, key } = await bullQueue(peer);
    const { client } = redis;
    await queue.pause();
    const parked = await client.lrange(key('paused'), 0, -1);
    // 5.x parks its jobs by right; 6.x leaves them where they are.
    expect(parked.length > 0).toBe(peer.startsWith('5.'));
    expect(await echo.inspect({ settleMs: 50 })).toEqual([]);
    // Somebody who knows nothing of the list opens the queue.
    if (parked.length === 0) await client.rename(key('wait'), key('paused'));
    await client.hdel(key('meta'), 'paused');
    await client.del(key('marker'));
    const faults = await echo.inspect({ settleMs: 50 });
    expect(faults.map(({ kind }) => kind)).toContain('parked');
    await echo.repair(faults);
    expect(await echo.inspect({ settleMs: 50 })).toEqual([]);
    expect((await client.lrange(key('wait'), 0, -1)).length).toBeGreaterThan(0);
  });
});
