import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { META, NOW, useStore } from '../../test/use-store.js';
import { drain } from './drain.js';

const used = useStore();
const RUN = `repeat:nightly:${NOW}`;

describe('drain', () => {
  it('moves nothing: it removes what waits to run, and leaves the rest', async () => {
    const queue = used.queue();
    const rest = { active: ['a'], delayed: { d: 9e15 }, completed: { c: 1 }, failed: { f: 1 } };
    await queue.seed({
      ...rest,
      wait: ['2', '1', 'ghost'],
      paused: ['3'],
      prioritized: { 4: 5 },
      meta: META,
      jobs: { 1: { deid: 'x' }, 2: {}, 3: {}, 4: {}, a: {}, d: {}, c: {}, f: {} },
      '1:logs': ['l'],
      'de:x': '1',
    });
    expect(await drain(used.store, queue.keys, false)).toBe(5);
    const left = { a: jobHash({}), d: jobHash({}), c: jobHash({}), f: jobHash({}) };
    expect(await queue.read()).toEqual({
      ...left,
      active: ['a'],
      delayed: [['d', 9e15]],
      completed: [['c', 1]],
      failed: [['f', 1]],
      meta: META,
    });
  });

  it('delayed jobs too when asked', async () => {
    const queue = used.queue();
    await queue.seed({ delayed: { d: 9e15, e: 1 }, jobs: { d: {}, e: {} } });
    expect(await drain(used.store, queue.keys, true)).toBe(2);
    expect(await queue.read()).toEqual({});
  });

  it.each([
    ['wait', { wait: ['2', RUN, '1'] }],
    ['prioritized', { prioritized: { 1: 1, [RUN]: 2, 2: 3 } }],
    ['delayed', { delayed: { 1: 1, [RUN]: 2, 2: 3 } }],
  ])('but not the next run of a scheduler: %s', async (_, state) => {
    const queue = used.queue();
    const old = `repeat:nightly:${NOW - 1}`;
    await queue.seed({ ...state, repeat: { nightly: NOW } });
    await queue.seed({ jobs: { 1: {}, 2: {}, [RUN]: { rjk: 'nightly' } } });
    expect(await drain(used.store, queue.keys, true)).toBe(2);
    const dump = await queue.read();
    expect(Object.keys(dump).sort()).toEqual([Object.keys(state)[0], 'repeat', RUN].sort());
    expect(dump[RUN]).toEqual(jobHash({ rjk: 'nightly' }));
    // An older run of it is a job as any other.
    await queue.seed({ wait: [old], jobs: { [old]: { rjk: 'nightly' } } });
    await drain(used.store, queue.keys, false);
    expect(await queue.read()).not.toHaveProperty(old);
  });

  it('in steps of 1,000, whatever stays between them', async () => {
    const queue = used.queue();
    const ids = Array.from({ length: 2_500 }, (_, at) => (at === 1_200 ? RUN : `j${at}`));
    await queue.seed({ wait: ids, repeat: { nightly: NOW } });
    await queue.seed({
      jobs: Object.fromEntries(ids.map((id) => [id, id === RUN ? { rjk: 'nightly' } : {}])),
    });
    expect(await drain(used.store, queue.keys, false)).toBe(2_499);
    expect(await queue.read()).toMatchObject({ wait: [RUN] });
  });

  it('wakes nobody and announces nothing of its own; a parent without children left goes on', async () => {
    const queue = used.queue();
    const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
    await queue.seed({
      delayed: { 1: 1 },
      jobs: { 1: { parent, parentKey: queue.key('p') }, p: {} },
      'waiting-children': { p: 1 },
      'p:dependencies': [queue.key('1')],
    });
    await drain(used.store, queue.keys, true);
    expect(await queue.read()).toEqual({
      wait: ['p'],
      p: jobHash({}),
      marker: [['0', 0]],
      events: [{ event: 'waiting', jobId: 'p', prev: 'waiting-children' }],
    });
  });
});
