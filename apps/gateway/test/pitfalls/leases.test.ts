import { eventually, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Held, Stand } from '../errors/stand.js';
import { playWorker } from './worker-stream.js';

const redis = useRedis();
let stand: Stand;
beforeAll(async () => {
  stand = await Stand.start(redis, {
    ...{ ECHOMQ_MAX_LOCK_LIFETIME_MS: '3000', ECHOMQ_MAX_LOCK_MS: '2000' },
    ECHOMQ_DEFAULT_LOCK_MS: '2000',
    ECHOMQ_STALLED_INTERVAL_MS: '200',
  });
});
afterAll(() => stand.close());

const LOCK = { lockDuration: '2s' };

// Each waits for locks to run out: they do so beside each other.
describe.concurrent('pitfall 3: a worker that is well, and whose handler is not', () => {
  it('with heartbeats that hold nothing loses the job: it goes back, nothing counted', async () => {
    const queue = stand.queue();
    await stand.add(queue.name, { options: { jobId: 'a' } });
    const worker = playWorker(stand.wire, queue.name, { ...LOCK, maxInFlight: 1 });
    const [lease] = await worker.delivered(1);
    worker.beat([]);
    const beats = setInterval(() => worker.beat([]), 100);
    // Not accepted: it comes again, under another token.
    const again = (await worker.delivered(2))[1];
    clearInterval(beats);
    expect(again?.jobId).toBe('a');
    expect(again?.leaseToken).not.toBe(lease?.leaseToken);
    worker.cancel();
    await worker.ended;
    await eventually(async () => expect((await queue.read()).wait).toEqual(['a']));
    expect(await redis.client.hmget(queue.key('a'), 'atm', 'stc')).toEqual([null, null]);
  });

  it('with heartbeats that hold it for ever is told LOCK_MAX_LIFETIME, and the job runs elsewhere', async () => {
    const queue = stand.queue();
    await stand.add(queue.name, { options: { jobId: 'a' } });
    const worker = playWorker(stand.wire, queue.name, LOCK);
    const held = await worker.delivered(1);
    const beats = setInterval(() => worker.beat(held), 100);
    await eventually(() => {
      const kinds = worker.answers.map(({ jobSignal }) => jobSignal?.kind);
      expect(kinds).toContain('JOB_SIGNAL_KIND_LOCK_MAX_LIFETIME');
    }, 10_000);
    const { jobs } = await stand.wire.answer('FetchJobs', {
      queue: queue.name,
      wait: '10s',
      maxJobs: 1,
    });
    clearInterval(beats);
    expect(jobs.map(({ lease }: { lease: Held }) => lease.jobId)).toEqual(['a']);
    worker.cancel();
    await worker.ended;
  });
});

describe.concurrent('pitfall 6: a worker that has lost its job completes it', () => {
  it('and changes nothing: the one that has it now does, whatever its name', async () => {
    const queue = stand.queue();
    await stand.add(queue.name);
    const request = { queue: queue.name, maxJobs: 1, wait: '10s', ...LOCK };
    const same = { worker: { workerId: 'w', sessionId: 's' } };
    const take = async (): Promise<Held> =>
      (await stand.wire.answer('FetchJobs', { ...request, ...same })).jobs[0].lease;
    const [stale, current] = [await take(), await take()];
    expect(current.jobId).toBe(stale.jobId);
    expect(current.leaseToken).not.toBe(stale.leaseToken);
    const finish = (lease: Held) => ({
      ...stand.request('FinishJob', { ...lease, token: lease.leaseToken }),
    });
    expect(await stand.fails('FinishJob', finish(stale))).toMatchObject({
      ...{ status: 'FAILED_PRECONDITION', reason: 'LOCK_NOT_OWNED' },
    });
    const { result } = await stand.wire.answer('FinishJob', finish(current));
    expect(result.disposition).toBe('DISPOSITION_COMPLETED');
    expect(await stand.fails('FinishJob', finish(stale))).toMatchObject({ reason: 'LOCK_LOST' });
    expect((await queue.read()).completed).toHaveLength(1);
  });
});
