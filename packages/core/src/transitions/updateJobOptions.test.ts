import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { META, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { type OptionsUpdate, updateJobOptions } from './updateJobOptions.js';

const used = useStore();
const OLD = '{"attempts":1,"mine":[]}';
const update = (queue: TestQueue, more: Partial<OptionsUpdate> = {}) =>
  updateJobOptions(used.store, queue.keys, {
    jobId: '1',
    opts: '{"attempts":3,"mine":[]}',
    readOpts: Buffer.from(OLD),
    ...more,
  });
const waiting = { meta: META, wait: ['1'], jobs: { 1: { opts: OLD } } };
const PARENT = { parentKey: 'bull:q:p', parent: '{"id":"p"}' };

describe('updateJobOptions', () => {
  describe('moves nothing', () => {
    it('but replaces the options, byte for byte', async () => {
      const queue = used.queue();
      await queue.seed(waiting);
      const before = await queue.read();
      const opts = Buffer.from('{"attempts":3,"mine":[],"n":1.0}');
      expect(await update(queue, { opts })).toBe(true);
      expect(await queue.read()).toEqual({ ...before, 1: jobHash({ opts: opts.toString() }) });
    });

    it("and the parent's policy with them", async () => {
      const queue = used.queue();
      await queue.seed({ ...waiting, jobs: { 1: { opts: OLD, ...PARENT } } });
      const parent = '{"id":"p","fpof":true}';
      const readParent = Buffer.from(PARENT.parent);
      expect(await update(queue, { parent, readParent })).toBe(true);
      expect(await queue.read()).toMatchObject({ 1: { parent, parentKey: PARENT.parentKey } });
    });

    it('of a job that had none', async () => {
      const queue = used.queue();
      await queue.seed({ ...waiting, jobs: { 1: { opts: undefined } } });
      const none = { jobId: '1', opts: '{}' };
      expect(await updateJobOptions(used.store, queue.keys, none)).toBe(true);
      expect(await queue.read()).toMatchObject({ 1: { opts: '{}' } });
    });
  });

  describe('writes nothing when somebody else was faster', () => {
    it.each<[string, Record<string, unknown>, Partial<OptionsUpdate>]>([
      ['with the options', { opts: '{"attempts":2}' }, {}],
      ['and took them away', { opts: undefined }, {}],
      ['with the parent', { opts: OLD, ...PARENT }, { readParent: Buffer.from('{"id":"q"}') }],
      ['and gave it a parent', { opts: OLD, ...PARENT }, {}],
    ])('%s', async (_, job, more) => {
      const queue = used.queue();
      await queue.seed({ ...waiting, jobs: { 1: { ...job } } });
      const before = await queue.read();
      expect(await update(queue, more)).toBe(false);
      expect(await queue.read()).toEqual(before);
    });
  });

  describe('rejects, and writes nothing', () => {
    it.each([
      ['JOB_NOT_FOUND', 'no such job', { jobId: 'x' }, {}],
      ['JOB_NOT_IN_STATE', 'it has completed', {}, { completed: { 1: 5 } }],
      ['JOB_NOT_IN_STATE', 'it has failed', {}, { failed: { 1: 5 } }],
    ])('%s: %s', async (reason, _, more, state) => {
      const queue = used.queue();
      await queue.seed({ ...waiting, ...state });
      expect(await refusal(queue, () => update(queue, more))).toBe(reason);
    });
  });

  it('wakes nobody and announces nothing', async () => {
    const queue = used.queue();
    await queue.seed(waiting);
    await update(queue);
    const dump = await queue.read();
    for (const key of ['marker', 'events']) expect(dump).not.toHaveProperty(key);
  });
});
