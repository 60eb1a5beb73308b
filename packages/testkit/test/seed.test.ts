import { describe, expect, it } from 'vitest';
import { jobHash } from '../src/queues/job-hash.js';
import { useRedis } from '../src/servers/use-redis.js';

const redis = useRedis();

describe('seed', () => {
  it('writes a described state', async () => {
    const queue = redis.freshQueue();
    await queue.seed({
      wait: ['2', '1'],
      active: ['3'],
      stalled: ['3'],
      delayed: { 4: 4096 },
      marker: { 0: 0 },
      meta: { paused: 1, 'opts.maxLenEvents': 10000 },
      id: 4,
      jobs: { 3: { name: 'send', data: { to: 'x' }, ats: 1 }, 4: { delay: 1 } },
      locks: { 3: 'token-3' },
      events: [{ event: 'active', jobId: '3' }],
      '4:dependencies': ['b', 'a'],
      'metrics:completed': { count: 2 },
    });

    expect(await queue.read()).toEqual({
      wait: ['2', '1'],
      active: ['3'],
      stalled: ['3'],
      delayed: [['4', 4096]],
      marker: [['0', 0]],
      meta: { paused: '1', 'opts.maxLenEvents': '10000' },
      id: '4',
      3: {
        name: 'send',
        data: '{"to":"x"}',
        opts: '{}',
        timestamp: '0',
        delay: '0',
        priority: '0',
        ats: '1',
      },
      4: jobHash({ delay: 1 }),
      '3:lock': 'token-3',
      events: [{ event: 'active', jobId: '3' }],
      '4:dependencies': ['a', 'b'],
      'metrics:completed': { count: '2' },
    });
    const [key, ...more] = Object.keys(await queue.readTtls());
    expect([key, more]).toEqual(['3:lock', []]);
  });

  it('seeds again what read gave', async () => {
    const one = redis.freshQueue();
    await one.seed({
      active: ['1'],
      stalled: ['1'],
      prioritized: { 2: 2 ** 53 },
      jobs: { 1: {}, 2: { priority: 5 } },
      events: [{ event: 'added' }],
      pc: 1,
    });
    const other = redis.freshQueue();
    await other.seed(await one.read());
    expect(await other.read()).toEqual(await one.read());
  });

  it('replaces what it names and leaves the rest', async () => {
    const queue = redis.freshQueue();
    await queue.seed({ wait: ['1', '2'], id: 2 });
    await queue.seed({ wait: ['3'], active: [] });
    expect(await queue.read()).toEqual({ wait: ['3'], id: '2' });
  });

  it('gives locks and keys their times to live', async () => {
    const queue = redis.freshQueue();
    await queue.seed({
      locks: { 1: { token: 't', ttlMs: 60_000 } },
      limiter: 3,
      ttls: { limiter: 5_000 },
    });
    const ttls = await queue.readTtls();
    expect(Object.keys(ttls).sort()).toEqual(['1:lock', 'limiter']);
    expect(ttls['1:lock']).toBeGreaterThan(50_000);
    expect(ttls.limiter).toBeLessThanOrEqual(5_000);
  });

  it('fails on what Redis refuses', async () => {
    const queue = redis.freshQueue();
    await expect(queue.seed({ delayed: [['1', Number.NaN]] })).rejects.toThrow(/not a valid float/);
  });
});

describe('jobHash', () => {
  it('takes text as it is and the rest as JSON', () => {
    expect(jobHash({ name: 'n', data: '{broken', opts: { attempts: 3 }, pb: undefined })).toEqual({
      name: 'n',
      data: '{broken',
      opts: '{"attempts":3}',
      timestamp: '0',
      delay: '0',
      priority: '0',
    });
  });
});
