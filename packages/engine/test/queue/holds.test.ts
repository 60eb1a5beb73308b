import { msToDuration } from '@echomq/proto/messages';
import { type FreshQueue, withLimit } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { fetchOf, useEngine, waiting } from '../use-engine.js';
import { frozen, patient, refused } from '../use-services.js';

const used = useEngine();
const service = () => used.engine.services.queue;
const hold = (queue: FreshQueue, ms?: number) => {
  const duration = ms === undefined ? undefined : msToDuration(ms);
  return service().holdQueue(frozen({ queue: queue.name, duration }), patient);
};
const letGo = (queue: FreshQueue) =>
  service().clearRateLimit(frozen({ queue: queue.name, keepLimit: true }), patient);
const ttl = async (queue: FreshQueue, maxJobs?: number) => {
  const asked = maxJobs === undefined ? {} : { maxJobs };
  return (await service().getRateLimit({ queue: queue.name, ...asked }, patient)).ttl?.seconds;
};
const fetch = (queue: FreshQueue, seconds: number) =>
  used.engine.services.worker.fetchJobs(fetchOf(queue, { wait: { seconds, nanos: 0 } }), patient);

describe('HoldQueue', () => {
  it('writes the key that BullMQ writes, and nothing else', async () => {
    const queue = used.queue();
    expect(await hold(queue, 60_000)).toEqual({});
    expect(await queue.read()).toEqual({ limiter: '9007199254740991' });
    expect((await queue.readTtls()).limiter).toBeGreaterThan(50_000);
    expect(await ttl(queue)).toBeGreaterThan(50);
  });

  it('holds jobs back until its time is up', async () => {
    const queue = used.queue();
    await queue.seed(waiting('1'));
    await hold(queue, 300);
    const before = performance.now();
    const { jobs } = await withLimit(fetch(queue, 15), 'the fetch');
    expect(jobs).toHaveLength(1);
    expect(performance.now() - before).toBeGreaterThan(200);
  });

  it('is ended by hand; the limit stays', async () => {
    const queue = used.queue();
    await queue.seed({ ...waiting('1'), meta: { max: 5, duration: 60_000 } });
    await hold(queue, 60_000);
    const held = fetch(queue, 15);
    await letGo(queue);
    expect((await withLimit(held, 'the fetch')).jobs).toHaveLength(1);
    expect((await queue.read()).meta).toMatchObject({ max: '5', duration: '60000' });
    expect((await queue.read()).limiter).toBe('1');
  });

  it.each([undefined, 0, -1])('refuses the span %s, and writes nothing', async (ms) => {
    const queue = used.queue();
    expect((await refused(hold(queue, ms))).metadata.field).toBe('duration');
    expect(await queue.read()).toEqual({});
  });
});

describe('GetRateLimit with max_jobs', () => {
  it('tells as if so many could begin', async () => {
    const queue = used.queue();
    await queue.seed({ meta: { max: 9, duration: 60_000 }, limiter: 3, ttls: { limiter: 50_000 } });
    expect([await ttl(queue), await ttl(queue, 4)]).toEqual([undefined, undefined]);
    expect(await ttl(queue, 3)).toBeGreaterThan(40);
    const call = service().getRateLimit({ queue: queue.name, maxJobs: 0 }, patient);
    expect((await refused(call)).metadata.field).toBe('max_jobs');
  });
});

describe('GetQueue', () => {
  it('tells whether as many jobs are active as may be', async () => {
    const queue = used.queue();
    const maxed = async () =>
      (await service().getQueue({ queue: queue.name }, patient)).queue?.maxed;
    await queue.seed({ meta: { paused: 1 }, active: ['a', 'b'] });
    expect(await maxed()).toBe(false);
    await queue.seed({ meta: { concurrency: 3 } });
    expect(await maxed()).toBe(false);
    await queue.seed({ meta: { concurrency: 2 } });
    expect(await maxed()).toBe(true);
  });
});

describe('GetDeduplicationJob', () => {
  const owner = (queue: FreshQueue, deduplicationId: string) =>
    service().getDeduplicationJob(frozen({ queue: queue.name, deduplicationId }), patient);

  it('tells who holds an id, of any text', async () => {
    const queue = used.queue();
    await queue.seed({ 'de:a:b': '5', 'de:é\n': '6' });
    expect(await owner(queue, 'a:b')).toEqual({ jobId: '5' });
    expect(await owner(queue, 'é\n')).toEqual({ jobId: '6' });
    expect(await owner(queue, 'c')).toEqual({});
    for (const bad of ['', 'x'.repeat(1_025), '\udc00']) {
      expect((await refused(owner(queue, bad))).metadata.field).toBe('deduplication_id');
    }
  });
});
