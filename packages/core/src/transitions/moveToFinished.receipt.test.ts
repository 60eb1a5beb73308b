import { describe, expect, it } from 'vitest';
import { activeJob } from '../../test/lease-rejections.js';
import { RECEIPTS, sessionReceipt } from '../../test/receipts.js';
import { eventLines, META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { moveJobFromActiveToWait } from './moveJobFromActiveToWait.js';
import { moveToDelayed } from './moveToDelayed.js';
import { moveToFinished } from './moveToFinished.js';

const used = useStore();
const LOCK = 60_000;

/** Ends job 1 and asks for the next, with a token of its own for each call. */
type End = (queue: TestQueue, nextToken: string) => ReturnType<typeof moveToFinished>;

const finish: End = (queue, nextToken) => {
  const receipt = sessionReceipt(queue);
  const options = { token: 't1', nextToken, lockDuration: LOCK, receipt, maxMetricsSize: 5 };
  const how = { jobId: '1', target: 'completed' as const, value: '1', fetchNext: true };
  return moveToFinished(used.store, queue.keys, { ...how, options }, NOW);
};
const delay: End = (queue, nextToken) => {
  const until = { until: { delayMs: 9_000 }, skipAttempt: true };
  const fetchNext = { token: nextToken, lockDuration: LOCK };
  const how = { jobId: '1', token: 't1', ...until, fetchNext, receipt: sessionReceipt(queue) };
  return moveToDelayed(used.store, queue.keys, how, NOW);
};

describe.each([
  ['moveToFinished', finish, '"completed",1,0'],
  ['moveToDelayed', delay, '"delayed",0,9000'],
] as const)('%s, repeated after its answer was lost', (_, end, answer) => {
  const seeded = async () => {
    const queue = used.queue();
    await queue.seed(activeJob({}, { wait: ['3', '2'] }));
    await queue.seed({ jobs: { 2: { data: '{"n":2}' }, 3: {} } });
    return queue;
  };

  it('brings the same next job under the same token, its lock renewed, and no other', async () => {
    const queue = await seeded();
    const first = await end(queue, 'n1');
    expect(first.next).toMatchObject({ kind: 'job', job: { id: '2' } });
    await queue.seed({ locks: { 2: { token: 'n1', ttlMs: 500 } }, stalled: ['2'] });
    const { stalled: _, ...before } = await queue.read();

    const again = await end(queue, 'n2');

    expect(again).toEqual({ ...first, next: { ...first.next, token: 'n1' }, replays: 1 });
    const receipt = { 7: `[1,"d7",1,${answer},"2","n1"]` };
    expect(await queue.read()).toEqual({ ...before, [RECEIPTS]: receipt });
    expect((await queue.readTtls())['2:lock']).toBeGreaterThan(50_000);
    expect(await end(queue, 'n3')).toMatchObject({ next: { token: 'n1' }, replays: 2 });
  });

  it('brings none once that is given back, ended or held by another', async () => {
    const queue = await seeded();
    await end(queue, 'n1');
    await moveJobFromActiveToWait(used.store, queue.keys, { jobId: '2', token: 'n1' });
    const before = await queue.read();
    expect(await end(queue, 'n2')).toMatchObject({ next: { kind: 'idle' }, replays: 0 });
    expect(await queue.read()).toEqual(before);
  });

  it('keeps the next job from who would give it back without knowing', async () => {
    const queue = await seeded();
    await end(queue, 'n1');
    await end(queue, 'n2');
    const { key, field } = sessionReceipt(queue);
    const release = (replays: number) => {
      const lease = { jobId: '2', token: 'n1', unlessReplayed: { key, field, replays } };
      return moveJobFromActiveToWait(used.store, queue.keys, lease);
    };
    expect(await refusal(queue, () => release(0))).toBe('LOCK_NOT_OWNED');
    await release(1);
    expect((await queue.read()).wait).toEqual(['3', '2']);
  });
});

describe('moveToFinished, repeated', () => {
  it('counts, announces and tells the parent once', async () => {
    const queue = used.queue();
    const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
    const child = { parentKey: queue.keys.job('p'), parent };
    await queue.seed(activeJob(child, { '1:dependencies': [] }));
    await queue.seed({ jobs: { p: {} }, 'waiting-children': { p: NOW } });
    await queue.seed({ 'p:dependencies': [queue.keys.job('1')] });
    for (const token of ['n1', 'n2', 'n3']) await finish(queue, token);
    const dump = await queue.read();
    expect(dump).toMatchObject({
      completed: [['1', NOW]],
      active: ['p'],
      'p:processed': { [queue.keys.job('1')]: '1' },
      'p:lock': 'n1',
      'metrics:completed': { count: '1' },
    });
    expect(eventLines(dump)).toEqual([
      'event=waiting jobId=p prev=waiting-children',
      'event=completed jobId=1 returnvalue=1 prev=active',
      'event=active jobId=p prev=waiting',
    ]);
  });

  it('answers also when the job itself is gone', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ opts: { removeOnComplete: true } }));
    await finish(queue, 'n1');
    expect(await queue.read()).not.toHaveProperty('1');
    expect(await finish(queue, 'n2')).toMatchObject({ branch: 'completed', replays: 0 });
  });

  it('decides a retry once', async () => {
    const queue = used.queue();
    const opts = { attempts: 3, backoff: { type: 'fixed', delay: 700 } };
    await queue.seed(activeJob({ opts }));
    const retry = { mode: 'DEFAULT' as const };
    const options = { token: 't1', retry, stack: 'at x', receipt: sessionReceipt(queue) };
    const how = { jobId: '1', target: 'failed' as const, value: 'boom', fetchNext: false, options };
    const first = await moveToFinished(used.store, queue.keys, how, NOW);
    const before = await queue.read();
    const again = await moveToFinished(used.store, queue.keys, how, NOW + 50);
    expect(again).toEqual({ ...first, replays: 0 });
    expect(again).toMatchObject({ branch: 'delayed', retryDelayMs: 700, attemptsMade: 1 });
    expect(await queue.read()).toEqual(before);
    expect(before[RECEIPTS]).toEqual({ 7: '[1,"d7",0,"delayed",1,700]' });
  });

  it('leaves as many receipts as are not acknowledged', async () => {
    const queue = used.queue();
    const [finishes, window] = [400, 25];
    const id = (at: number) => `${at}`;
    const wait = Array.from({ length: finishes }, (_, at) => id(at)).reverse();
    const jobs = Object.fromEntries(wait.map((job) => [job, { opts: { removeOnComplete: true } }]));
    await queue.seed({ meta: META, wait: wait.slice(0, -1), active: [id(0)] });
    await queue.seed({ jobs, locks: { 0: 't0' } });
    for (let at = 0; at < finishes; at++) {
      const acked = at >= window ? [id(at - window)] : [];
      const receipt = sessionReceipt(queue, { field: id(at), digest: `d${at}`, acked });
      const options = { token: `t${at}`, nextToken: `t${at + 1}`, lockDuration: LOCK, receipt };
      const how = { jobId: id(at), target: 'completed' as const, value: '1', fetchNext: true };
      await moveToFinished(used.store, queue.keys, { ...how, options }, NOW);
    }
    const left = Object.keys((await queue.read())[RECEIPTS] as object).map(Number);
    expect(Math.min(...left)).toBe(finishes - window);
    expect(left).toHaveLength(window);
  });

  it('says how long the hash stays where it has lost what stood there, said before or not', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({}, { wait: ['3', '2'] }));
    await queue.seed({ jobs: { 2: {}, 3: {} } });
    const receipt = { ...sessionReceipt(queue), ttl: 60_000, slot: true, fresh: true, said: true };
    const end = (jobId: string, token: string, nextToken: string) =>
      moveToFinished(
        used.store,
        queue.keys,
        {
          ...{ jobId, target: 'completed', value: '1', fetchNext: true },
          options: { token, nextToken, lockDuration: LOCK, receipt },
        },
        NOW,
      );
    const ttl = async () => (await queue.readTtls())[RECEIPTS] ?? 0;
    await end('1', 't1', 't2');
    expect(await ttl()).toBeGreaterThan(50_000);
    await used.redis.client.pexpire(`${queue.base}${RECEIPTS}`, 5_000);
    await end('2', 't2', 't3');
    expect(await ttl()).toBeLessThanOrEqual(5_000);
    await used.redis.client.del(`${queue.base}${RECEIPTS}`);
    await end('3', 't3', 't4');
    expect(await ttl()).toBeGreaterThan(50_000);
  });
});
