import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { type TakenRun, updateJobScheduler } from './updateJobScheduler.js';

const used = useStore();
const EVERY = 60_000;
const TAKEN = `repeat:nightly:${NOW}`;
const DUE = NOW + EVERY;
const NEXT = `repeat:nightly:${DUE}`;
const TEMPLATE = { head: '', repeatHead: `"every":${EVERY}`, jsonId: 'nightly', data: '{"a":1}' };
const update = (queue: TestQueue, more: Partial<TakenRun> = {}, now = NOW + 10) =>
  updateJobScheduler(
    used.store,
    queue.keys,
    { schedulerId: 'nightly', jobId: TAKEN, template: TEMPLATE, ...more },
    now,
  );
const taken = {
  meta: META,
  active: [TAKEN],
  repeat: { nightly: NOW },
  'repeat:nightly': { name: 'tidy', every: EVERY, offset: NOW % EVERY, ic: 4 },
  jobs: { [TAKEN]: { rjk: 'nightly', opts: { repeat: { every: EVERY, count: 2 } } } },
};

describe('updateJobScheduler', () => {
  describe('moves', () => {
    it('the next run to its place, and the schedule on', async () => {
      const queue = used.queue();
      await queue.seed(taken);
      const { [TAKEN]: job } = await queue.read();

      const run = await update(queue);

      expect(run).toEqual({ jobId: NEXT, delayMs: EVERY - 10, dueAt: DUE });
      const dump = await queue.read();
      expect(dump).toEqual({
        active: [TAKEN],
        [TAKEN]: job,
        delayed: [[NEXT, DUE * 4096]],
        [NEXT]: {
          ...jobHash({
            name: 'tidy',
            data: '{"a":1}',
            timestamp: NOW + 10,
            delay: EVERY - 10,
            rjk: 'nightly',
          }),
          opts: expect.any(String),
        },
        repeat: [['nightly', DUE]],
        'repeat:nightly': {
          name: 'tidy',
          every: `${EVERY}`,
          offset: `${NOW % EVERY}`,
          ic: '5',
        },
        id: '1',
        meta: META,
        marker: [['1', DUE]],
        events: [
          { event: 'added', jobId: NEXT, name: 'tidy' },
          { event: 'delayed', jobId: NEXT, delay: `${DUE}` },
        ],
      });
      expect(JSON.parse((dump[NEXT] as Record<string, string>).opts ?? '')).toMatchObject({
        repeat: { every: EVERY, count: 3 },
        jobId: NEXT,
        repeatJobKey: 'nightly',
      });
    });

    it('over slots that have passed, to the next one to come', async () => {
      const queue = used.queue();
      await queue.seed(taken);
      const run = await update(queue, {}, NOW + 5 * EVERY + 10);
      expect(run).toMatchObject({ dueAt: NOW + 6 * EVERY });
    });

    it('the run of a cron pattern to the instant that the caller worked out', async () => {
      const queue = used.queue();
      const record = { name: 'tidy', pattern: '0 * * * *', ic: 1 };
      await queue.seed({ ...taken, 'repeat:nightly': record });
      const run = await update(queue, { nextDueAt: NOW + 777 });
      expect(run).toMatchObject({ dueAt: NOW + 777 });
    });

    it('only the schedule, where the next run stands already', async () => {
      const queue = used.queue();
      await queue.seed(taken);
      await queue.seed({ completed: { [NEXT]: 1 }, jobs: { [NEXT]: { name: 'there' } } });
      expect(await update(queue)).toMatchObject({ jobId: NEXT });
      const dump = await queue.read();
      expect(dump).toMatchObject({ repeat: [['nightly', DUE]], [NEXT]: { name: 'there' } });
      expect(dump).not.toHaveProperty('delayed');
      expect(eventLines(dump)).toEqual([`event=duplicated jobId=${NEXT}`]);
    });
  });

  describe('writes nothing', () => {
    it.each<[string, Record<string, unknown>, Partial<TakenRun>]>([
      ['for an older run', {}, { jobId: `repeat:nightly:${NOW - EVERY}` }],
      ['for a job that is no run', {}, { jobId: '1' }],
      ['when the scheduler is gone', { repeat: { other: NOW } }, {}],
      ['when its record is gone', { 'repeat:nightly': {} }, {}],
      [
        'for a cron pattern without a next instant',
        { 'repeat:nightly': { name: 'tidy', ic: 1 } },
        {},
      ],
    ])('%s', async (_, state, more) => {
      const queue = used.queue();
      await queue.seed({ ...taken, ...(state as object) });
      const before = await queue.read();
      expect(await update(queue, more)).toBeUndefined();
      expect(await queue.read()).toEqual(before);
    });

    it('when it is repeated', async () => {
      const queue = used.queue();
      await queue.seed(taken);
      await update(queue);
      const before = await queue.read();
      expect(await update(queue)).toBeUndefined();
      expect(await queue.read()).toEqual(before);
    });
  });
});
