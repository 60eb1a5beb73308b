import { fileURLToPath } from 'node:url';
import { eventually, type NodeProcess, spawnNode, useRedis } from '@echomq/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Held } from '../errors/stand.js';
import { base64, Wire } from '../errors/wire.js';
import { playWorker } from './worker-stream.js';

const main = fileURLToPath(new URL('../../build/main.js', import.meta.url));
const READY = /^echomq-gateway listening on (\S+)$/;
const redis = useRedis();

/** A gateway's process whose clock is wrong by so much. */
async function gatewayWithClock(skewMs: number): Promise<{ process: NodeProcess; wire: Wire }> {
  const shim = `const R = Date; globalThis.Date = class extends R {
    constructor(...given) { super(...(given.length ? given : [R.now() + ${skewMs}])); }
    static now() { return R.now() + ${skewMs}; }
  };`;
  const process = await spawnNode(main, {
    nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(shim)}`],
    ready: READY,
    readyLimitMs: 20_000,
    env: {
      ...{ ECHOMQ_LISTEN: '127.0.0.1:0', ECHOMQ_REDIS_URL: redis.url },
      ...{ ECHOMQ_STALLED_INTERVAL_MS: '200', ECHOMQ_DRAIN_TIMEOUT_MS: '100' },
    },
  });
  const wire = new Wire(READY.exec(process.readyLine)?.[1] ?? '');
  onTestFinished(() => wire.close());
  return { process, wire };
}

const finishOf = (lease: Held) => ({
  ...{ lease, outcome: { complete: { returnValue: base64('1') } } },
});

describe('pitfall 12: a gateway whose clock is wrong', () => {
  it.each([-300_000, 300_000])('by %i ms: Redis tells the time', async (skewMs) => {
    const queue = redis.freshQueue();
    const { wire } = await gatewayWithClock(skewMs);
    const before = performance.now();
    const options = { delay: '1s', jobId: 'late' };
    await wire.answer('AddJob', { queue: queue.name, name: 'n', options });
    const [seconds] = await redis.client.time();
    const created = Number(await redis.client.hget(queue.key('late'), 'timestamp'));
    expect(Math.abs(created - Number(seconds) * 1_000)).toBeLessThan(60_000);
    const fetch = { queue: queue.name, maxJobs: 1, wait: '20s', lockDuration: '30s' };
    const { jobs } = await wire.answer('FetchJobs', fetch);
    expect(jobs.map(({ lease }: { lease: Held }) => lease.jobId)).toEqual(['late']);
    const took = performance.now() - before;
    expect(took).toBeGreaterThan(950);
    expect(took).toBeLessThan(10_000);
    const ttl = await redis.client.pttl(queue.key('late:lock'));
    expect(ttl).toBeGreaterThan(20_000);
    expect(ttl).toBeLessThanOrEqual(30_000);
  });

  it('that stands still for longer than its locks: they lapse once, and it renews none of them', async () => {
    const queue = redis.freshQueue();
    const [{ process, wire }, other] = await Promise.all([
      gatewayWithClock(0),
      gatewayWithClock(0),
    ]);
    await wire.answer('AddJob', { queue: queue.name, name: 'n', options: { jobId: 'a' } });
    const worker = playWorker(wire, queue.name, { lockDuration: '3s' });
    const held = await worker.delivered(1);
    worker.beat(held);
    await worker.next('heartbeatAck');
    process.pause();
    const fetch = { queue: queue.name, maxJobs: 1, wait: '20s', lockDuration: '60s' };
    const { jobs } = await other.wire.answer('FetchJobs', fetch);
    process.resume();
    for (const stale of held) {
      worker.beat([stale]);
      const late = await wire.call('FinishJob', finishOf(stale));
      expect(late.failure).toMatchObject({ reason: 'LOCK_NOT_OWNED' });
    }
    expect(await redis.client.get(queue.key('a:lock'))).toBe(jobs[0].lease.leaseToken);
    expect(await redis.client.hget(queue.key('a'), 'stc')).toBe('1');
    await other.wire.answer('FinishJob', finishOf(jobs[0].lease));
    await eventually(async () => expect(await redis.client.zcard(queue.key('completed'))).toBe(1));
    worker.cancel();
    await worker.ended;
  });
});
