import { eventually, tcpProxy, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Held, Stand } from '../errors/stand.js';
import { base64, Wire } from '../errors/wire.js';
import { portOf } from '../serving.js';
import { cutFetch } from './lost-fetch.js';

const redis = useRedis();
let stand: Stand;
beforeAll(async () => {
  stand = await Stand.start(redis, {
    ECHOMQ_METRICS_MINUTES: '10',
    ECHOMQ_STALLED_INTERVAL_MS: '300',
  });
});
afterAll(() => stand.close());

describe('pitfall 4: jobs are taken, and the answer of the fetch is cut off', () => {
  it('T105 reply lost after activation: a repetition brings the same jobs, wherever the cut was; the others keep their order', async () => {
    let arrived = false;
    // Each 23rd byte here, from another one each time; the soak has every byte.
    const from = Math.floor(Math.random() * 23);
    for (let bytes = from; !arrived; bytes += 23) {
      ({ arrived } = await cutFetch(stand, bytes));
      expect(bytes).toBeLessThan(20_000);
    }
  });

  it('T105 reply lost after activation: without a request_id the job goes back at once, not after its lock', async () => {
    await using proxy = await tcpProxy(portOf(stand.gateway.address));
    const wire = new Wire(`127.0.0.1:${proxy.port}`);
    const queue = stand.queue();
    await queue.seed({ wait: ['c', 'b', 'a'], jobs: { a: {}, b: {}, c: {} } });
    await wire.answer('GetServerInfo', {});
    // The gateway has sent the answer; that its connection broke behind it tells that it was lost.
    proxy.swallow('toClient');
    const request = { queue: queue.name, maxJobs: 1, wait: '0s', lockDuration: '3600s' };
    const call = wire.call('FetchJobs', request);
    await eventually(async () => expect((await queue.read()).active).toEqual(['a']));
    proxy.cut();
    expect((await call).failure?.reason).toBeUndefined();
    wire.close();
    await eventually(async () => expect((await queue.read()).wait).toEqual(['c', 'b', 'a']));
    const { jobs } = await stand.wire.answer('FetchJobs', { ...request, maxJobs: 3 });
    expect(jobs.map(({ lease }: { lease: Held }) => lease.jobId)).toEqual(['a', 'b', 'c']);
  });
});

describe('pitfall 5: a job is finished, and the answer is lost', () => {
  it('a repetition tells what became of it; nothing has happened twice', async () => {
    const [parents, queue] = [stand.queue(), stand.queue()];
    const children = ['one', 'two', 'three'].map((jobId) => ({
      ...{ queue: queue.name, name: 'c', options: { jobId } },
    }));
    const root = { queue: parents.name, name: 'p', options: { jobId: 'parent' }, children };
    await stand.wire.answer('AddFlow', { root });
    const lease = await stand.take(queue.name);
    await using proxy = await tcpProxy(portOf(stand.gateway.address));
    const wire = new Wire(`127.0.0.1:${proxy.port}`);
    await wire.answer('GetServerInfo', {});
    const request = {
      ...{ lease, requestId: 'r', fetchNext: { maxJobs: 1 } },
      outcome: { complete: { returnValue: base64('1') } },
      worker: { workerId: 'w', sessionId: 's' },
    };
    proxy.swallow('toClient');
    const lost = wire.call('FinishJob', request);
    await eventually(async () => expect(await redis.client.zcard(queue.key('completed'))).toBe(1));
    proxy.cut();
    const { failure } = await lost;
    expect([failure?.status, failure?.reason]).toEqual(['UNAVAILABLE', undefined]);
    const first = await stand.wire.answer('FinishJob', request);
    const second = await stand.wire.answer('FinishJob', request);
    expect(first.result).toMatchObject({ disposition: 'DISPOSITION_COMPLETED', replayed: true });
    expect(first.next).toHaveLength(1);
    expect(second).toEqual(first);
    await once({ queue, parents, lease });
    wire.close();
  });
});

async function once({
  queue,
  parents,
  lease,
}: {
  readonly queue: ReturnType<Stand['queue']>;
  readonly parents: ReturnType<Stand['queue']>;
  readonly lease: Held;
}): Promise<void> {
  const events = await redis.client.xrange(queue.key('events'), '-', '+');
  const completed = events.filter(([, fields]) => fields[1] === 'completed');
  expect(completed).toHaveLength(1);
  expect(await redis.client.hget(queue.key('metrics:completed'), 'count')).toBe('1');
  const dependencies = await redis.client.scard(parents.key('parent:dependencies'));
  expect(dependencies).toBe(2);
  const processed = await redis.client.hgetall(parents.key('parent:processed'));
  expect(processed).toEqual({ [queue.key(lease.jobId)]: '1' });
  expect(await redis.client.llen(queue.key('active'))).toBe(1);
}
