import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { META, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { type OptionsUpdate, updateJobOptions } from './updateJobOptions.js';

const used = useStore();
const OPTS = '{"attempts":1,"x":[1.10,{}]}';
const PARENT = '{"id":"p","queueKey":"bull:up"}';
const update = (queue: TestQueue, more: Partial<OptionsUpdate> = {}) =>
  updateJobOptions(used.store, queue.keys, {
    jobId: '1',
    opts: '{"attempts":9}',
    readOpts: Buffer.from(OPTS),
    ...more,
  });

describe('updateJobOptions', () => {
  describe('moves nothing', () => {
    it.each([
      ['waiting', { wait: ['1'] }],
      ['prioritized', { prioritized: { 1: 1 } }],
      ['delayed', { delayed: { 1: 9e15 } }],
      ['active', { active: ['1'], locks: { 1: 't' } }],
      ['waiting for children', { 'waiting-children': { 1: 1 } }],
    ])('and sets the text of a job that is %s', async (_, state) => {
      const queue = used.queue();
      await queue.seed({ ...state, meta: META, jobs: { 1: { opts: OPTS } } });
      const before = await queue.read();
      expect(await update(queue)).toBe(true);
      expect(await queue.read()).toEqual({
        ...before,
        1: { ...jobHash({}), opts: '{"attempts":9}' },
      });
    });

    it('and sets what the job says of its parent', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], jobs: { 1: { opts: OPTS, parent: PARENT } } });
      const parent = '{"id":"p","queueKey":"bull:up","fpof":true}';
      expect(await update(queue, { parent, readParent: Buffer.from(PARENT) })).toBe(true);
      expect((await queue.read())[1]).toMatchObject({ opts: '{"attempts":9}', parent });
    });

    it('and keeps every byte', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], jobs: { 1: { opts: OPTS } } });
      const opts = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
      expect(await update(queue, { opts })).toBe(true);
      const [stored] = await used.redis.client.hmgetBuffer(queue.key('1'), 'opts');
      expect(stored).toEqual(opts);
    });
  });

  it('writes nothing when options or parent are others than those that were read', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1', '2'], jobs: { 1: { opts: OPTS, parent: PARENT }, 2: {} } });
    await used.redis.client.hdel(queue.key('2'), 'opts');
    const before = await queue.read();
    expect(await update(queue)).toBe(false);
    expect(await update(queue, { readOpts: Buffer.from('{}') })).toBe(false);
    expect(await update(queue, { jobId: '2' })).toBe(false);
    expect(await queue.read()).toEqual(before);
    const { readOpts: _, ...none } = { jobId: '2', opts: '{}', readOpts: undefined };
    expect(await updateJobOptions(used.store, queue.keys, none)).toBe(true);
  });

  it('rejects JOB_NOT_FOUND, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'] });
    expect(await refusal(queue, () => update(queue))).toBe('JOB_NOT_FOUND');
  });

  it.each(['completed', 'failed'])(
    'rejects JOB_NOT_IN_STATE of one that has %s, and writes nothing',
    async (state) => {
      const queue = used.queue();
      await queue.seed({ [state]: { 1: 1 }, jobs: { 1: { opts: OPTS } } });
      expect(await refusal(queue, () => update(queue))).toBe('JOB_NOT_IN_STATE');
    },
  );

  it('wakes nobody and announces nothing', async () => {
    const queue = used.queue();
    await queue.seed({ wait: ['1'], jobs: { 1: { opts: OPTS } } });
    await update(queue);
    const dump = await queue.read();
    expect([dump.marker, dump.events]).toEqual([undefined, undefined]);
  });
});
