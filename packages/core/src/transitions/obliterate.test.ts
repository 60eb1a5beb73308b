import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { META, NOW, refusal, useStore } from '../../test/use-store.js';
import { obliterate } from './obliterate.js';

const used = useStore();
const PAUSED = { ...META, paused: 1 };

describe('obliterate', () => {
  it('moves nothing: it leaves no key of a paused queue, and those of its neighbours', async () => {
    const queue = used.queue();
    const neighbour = used.queue(`${queue.name}x`);
    await neighbour.seed({ wait: ['1'], jobs: { 1: {} } });
    const ids = ['w', 'p', 'd', 'c', 'f', 'r', 'k', 'b'];
    await queue.seed({
      wait: ['w'],
      paused: ['b'],
      prioritized: { p: 1 },
      delayed: { d: 1 },
      completed: { c: 1 },
      failed: { f: 1 },
      'waiting-children': { k: 1 },
      repeat: { nightly: NOW },
      'repeat:nightly': { ic: 1 },
      meta: PAUSED,
      id: 9,
      pc: 3,
      marker: { 0: 0 },
      stalled: ['x'],
      'stalled-check': 1,
      limiter: 5,
      events: [{ event: 'x' }],
      'metrics:completed': { count: 1 },
      'metrics:completed:data': ['1'],
      'metrics:failed': { count: 1 },
      jobs: Object.fromEntries(ids.map((id) => [id, {}])),
      'w:logs': ['l'],
      'k:dependencies': ['x'],
      'k:processed': { x: '1' },
      'k:failed': { x: '1' },
      'k:unsuccessful': { x: 1 },
      'de:dedup': 'gone',
      'dn:dedup': { name: 'kept' },
      'meta:counters:1': { withoutHash: 2 },
      'orphan:logs': ['l'],
    });
    await obliterate(used.store, queue.keys, false);
    expect(await queue.read()).toEqual({});
    expect(await neighbour.read()).toEqual({ wait: ['1'], 1: jobHash({}) });
  });

  it('with active jobs and their locks, when forced', async () => {
    const queue = used.queue();
    await queue.seed({ meta: PAUSED, active: ['1'], jobs: { 1: {} }, locks: { 1: 't' } });
    await obliterate(used.store, queue.keys, true);
    expect(await queue.read()).toEqual({});
  });

  it('a part at a time, when the caller sets how much', async () => {
    const queue = used.queue();
    await queue.seed({ meta: PAUSED, wait: ['1', '2', '3'], jobs: { 1: {}, 2: {}, 3: {} } });
    expect(await obliterate(used.store, queue.keys, false, 2)).toBe(false);
    expect(await queue.read()).toEqual({
      meta: { ...PAUSED, paused: '1' },
      wait: ['3'],
      3: jobHash({}),
    });
    expect(await obliterate(used.store, queue.keys, false, 2)).toBe(true);
    expect(await queue.read()).toEqual({});
  });

  it('in steps of 1,000 jobs', async () => {
    const queue = used.queue();
    const ids = Array.from({ length: 2_300 }, (_, at) => `j${at}`);
    await queue.seed({ meta: PAUSED, wait: ids.slice(0, 1_500) });
    await queue.seed({
      completed: Object.fromEntries(ids.slice(1_500).map((id) => [id, 1])),
      jobs: Object.fromEntries(ids.map((id) => [id, {}])),
    });
    const client = used.redis.client;
    await client.config('RESETSTAT');
    await obliterate(used.store, queue.keys, false);
    expect(await queue.read()).toEqual({});
    const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1];
    expect(Number(calls)).toBeGreaterThanOrEqual(3);
  });

  describe('rejects, and writes nothing', () => {
    it.each([
      ['QUEUE_NOT_PAUSED', { meta: META, wait: ['1'] }],
      ['QUEUE_NOT_PAUSED', { wait: ['1'] }],
      ['QUEUE_HAS_ACTIVE_JOBS', { meta: PAUSED, active: ['1'] }],
    ])('%s', async (reason, state) => {
      const queue = used.queue();
      await queue.seed({ ...state, jobs: { 1: {} } });
      const call = () => obliterate(used.store, queue.keys, false);
      expect(await refusal(queue, call)).toBe(reason);
    });
  });
});
