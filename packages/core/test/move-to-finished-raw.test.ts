import { readFileSync } from 'node:fs';
import { jobHash, useRedis } from '@echomq/testkit';
import { encode } from '@msgpack/msgpack';
import { beforeAll, describe, expect, it } from 'vitest';
import { activeJob } from './lease-rejections.js';
import { META, NOW, type TestQueue, testQueue } from './use-store.js';

/**
 * `lua/dist/moveToFinished-14.lua` as any client in any language calls it: SCRIPT LOAD, EVALSHA, keys and arguments in
 * the order of the contract, options packed by a msgpack library that knows nothing of Redis.
 */
const BODY = readFileSync(
  new URL('../../../lua/dist/moveToFinished-14.lua', import.meta.url),
  'utf8',
);
const redis = useRedis();
let sha = '';
beforeAll(async () => {
  sha = String(await redis.client.script('LOAD', BODY));
});

const OPTIONS = {
  token: 't1',
  keepJobs: { count: -1 },
  lockDuration: 30_000,
  attempts: 1,
  maxMetricsSize: '',
};

interface RawCall {
  readonly target?: 'completed' | 'failed';
  readonly fetchNext?: 0 | 1;
  readonly options?: Record<string, unknown>;
  /** The last argument; `none` leaves it out. */
  readonly fields?: Uint8Array | string | 'none';
}

const queue = () => testQueue(redis.freshQueue());

function call(
  q: TestQueue,
  { target = 'completed', fetchNext = 1, options, fields = '' }: RawCall,
) {
  const { keys } = q;
  const field = target === 'completed' ? 'returnvalue' : 'failedReason';
  return redis.client.call('EVALSHA', [
    sha,
    14,
    ...[keys.wait, keys.active, keys.prioritized, keys.events, keys.stalled, keys.limiter],
    ...[keys.delayed, keys.paused, keys.meta, keys.pc, q.key(target), keys.job('1')],
    ...[keys.metrics(target), keys.marker],
    ...['1', NOW, field, '{"ok":1}', target, fetchNext, keys.base],
    Buffer.from(encode({ ...OPTIONS, ...options })),
    ...(fields === 'none' ? [] : [typeof fields === 'string' ? fields : Buffer.from(fields)]),
  ]) as Promise<unknown>;
}

describe('moveToFinished-14 by hand', () => {
  it('answers 0 when there is no next job', async () => {
    const q = queue();
    await q.seed(activeJob());
    expect(await call(q, {})).toBe(0);
    expect(await q.read()).toEqual({
      completed: [['1', NOW]],
      1: jobHash({ ats: 1, atm: 1, returnvalue: '{"ok":1}', finishedOn: NOW }),
      meta: META,
      events: [
        { event: 'completed', jobId: '1', returnvalue: '{"ok":1}', prev: 'active' },
        { event: 'drained' },
      ],
    });
  });

  it('answers with the next job, flat, its id, and two zeros', async () => {
    const q = queue();
    await q.seed(activeJob({}, { wait: ['2'] }));
    await q.seed({
      jobs: { 2: { name: 'next', data: { a: 1 }, opts: { attempts: 2 }, timestamp: 5 } },
    });

    const [flat, id, limitedMs, nextDue] = (await call(q, {})) as [
      string[],
      string,
      number,
      number,
    ];

    expect([id, limitedMs, nextDue]).toEqual(['2', 0, 0]);
    const pairs = Object.fromEntries(
      Array.from({ length: flat.length / 2 }, (_, at) => flat.slice(2 * at, 2 * at + 2)),
    );
    expect(pairs).toEqual({
      name: 'next',
      data: '{"a":1}',
      opts: '{"attempts":2}',
      timestamp: '5',
      delay: '0',
      priority: '0',
      ats: '1',
      processedOn: `${NOW}`,
    });
    // Without nextToken the next job is locked with the same token.
    expect(await q.read()).toMatchObject({
      active: ['2'],
      '2:lock': 't1',
      completed: [['1', NOW]],
    });
  });

  it('locks the next job with nextToken where given', async () => {
    const q = queue();
    await q.seed(activeJob({}, { wait: ['2'] }));
    await q.seed({ jobs: { 2: {} } });
    await call(q, { options: { nextToken: 't2' } });
    expect(await q.read()).toMatchObject({ '2:lock': 't2' });
  });

  it('leaves the next job where it is when fetch_next is 0', async () => {
    const q = queue();
    await q.seed(activeJob({}, { wait: ['2'] }));
    expect(await call(q, { fetchNext: 0 })).toBe(0);
    expect(await q.read()).toMatchObject({ wait: ['2'] });
  });

  it.each([
    ['how long the queue is limited', { limiter: 5, ttls: { limiter: 60_000 } }, 2],
    ['when the next job is due', { delayed: { 9: (NOW + 5_000) * 4096 } }, 3],
  ])('answers with two zeros and %s', async (_, state, place) => {
    const q = queue();
    await q.seed(activeJob({}, state));
    const options = { limiter: { max: 5, duration: 60_000 } };
    const reply = (await call(q, { options })) as number[];
    expect(reply.slice(0, 2)).toEqual([0, 0]);
    if (place === 3) expect(reply.slice(2, 4)).toEqual([0, NOW + 5_000]);
    else expect(reply[2]).toBeGreaterThan(50_000);
  });

  it('ends a failed job for good, whatever its attempts, unless retry is asked for', async () => {
    const q = queue();
    await q.seed(activeJob({ opts: { attempts: 5, backoff: { type: 'fixed', delay: 100 } } }));
    expect(await call(q, { target: 'failed', fetchNext: 0, options: { attempts: 5 } })).toBe(0);
    expect(await q.read()).toMatchObject({ failed: [['1', NOW]], 1: { atm: '1' } });

    const again = queue();
    await again.seed(activeJob({ opts: { attempts: 5, backoff: { type: 'fixed', delay: 100 } } }));
    const options = { retry: { mode: 'DEFAULT' } };
    const reply = await call(again, { target: 'failed', fetchNext: 0, options });
    expect(reply).toEqual([0, 0, 0, 0, 'delayed', 1, 100]);
  });

  it('writes the fields that come last, and takes none, packed none or an empty text', async () => {
    for (const [fields, written] of [
      [
        encode(['failedReason', 'x', 'stacktrace', '["s"]', 'tm', 7]),
        { stacktrace: '["s"]', tm: '7' },
      ],
      [encode([]), {}],
      ['', {}],
      ['none', {}],
    ] as const) {
      const q = queue();
      await q.seed(activeJob());
      expect(await call(q, { target: 'failed', fields })).toBe(0);
      expect((await q.read())['1']).toEqual(
        jobHash({ ats: 1, atm: 1, failedReason: '{"ok":1}', finishedOn: NOW, ...written }),
      );
    }
  });

  it('keeps jobs and counts metrics as the options say', async () => {
    const q = queue();
    await q.seed(activeJob({}, { completed: { a: 1, b: 2 } }));
    await q.seed({ jobs: { a: {}, b: {} } });
    await call(q, { options: { keepJobs: { count: 2 }, maxMetricsSize: 30 } });
    expect(await q.read()).toMatchObject({
      completed: [
        ['b', 2],
        ['1', NOW],
      ],
      'metrics:completed': { count: '1', prevTS: `${NOW}`, prevCount: '0' },
    });
    await q.seed(activeJob());
    await call(q, { options: { keepJobs: { count: 0 } } });
    expect(await q.read()).not.toHaveProperty('1');
  });

  describe('says no with a number, and writes nothing', () => {
    it.each([
      ['-1', 'no hash', { jobs: {}, 1: undefined }, {}],
      ['-2', 'no lock', { locks: {} }, {}],
      ['-3', 'not active', { active: [] }, {}],
      ['-4', 'pending children', { '1:dependencies': ['c'] }, {}],
      ['-6', 'another token', {}, { token: 't9' }],
      ['-6', 'the token 0', {}, { token: '0' }],
      ['-6', 'the empty token', {}, { token: '' }],
      ['-6', 'no token at all', {}, { token: undefined }],
      ['-9', 'failed children', { '1:unsuccessful': { c: 1 } }, {}],
    ])('%s: %s', async (code, _, state, options) => {
      const q = queue();
      await q.seed(activeJob({}, { wait: ['2'], ...state }));
      const before = await q.read();
      expect(await call(q, { options })).toBe(Number(code));
      expect(await q.read()).toEqual(before);
    });
  });

  describe('refuses what it cannot read, before it writes', () => {
    it.each([
      ['fields without a value', encode(['failedReason']), /a name without a value/],
      ['fields that are no msgpack', Buffer.from([0xc1]), /./],
    ])('%s', async (_, fields, text) => {
      const q = queue();
      await q.seed(activeJob());
      const before = await q.read();
      await expect(call(q, { fields })).rejects.toThrow(text);
      expect(await q.read()).toEqual(before);
    });
  });

  it('begins with its name, so that SLOWLOG and people can tell it', () => {
    expect(BODY.split('\n')[0]).toBe('-- moveToFinished-14');
  });
});
