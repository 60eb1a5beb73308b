import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { GATES } from '../../test/gates.js';
import { eventLines, META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { addJobScheduler, type SchedulerUpsert } from './addJobScheduler.js';

const used = useStore();
const EVERY = 60_000;
/** The beginning of a slot. */
const SLOT = NOW - (NOW % EVERY);
const TEMPLATE = {
  head: '"attempts":3',
  repeatHead: `"every":${EVERY}`,
  jsonId: 'nightly',
  data: '{"a":1}',
};
const upsert = (queue: TestQueue, more: Partial<SchedulerUpsert> = {}, now = NOW) =>
  addJobScheduler(
    used.store,
    queue.keys,
    {
      schedulerId: 'nightly',
      schedule: { name: 'tidy', every: EVERY },
      template: TEMPLATE,
      ...more,
    },
    now,
  );
const cron = (nextDueAt: number): Partial<SchedulerUpsert> => ({
  schedule: { name: 'tidy', pattern: '0 * * * *', tz: 'Europe/Berlin' },
  template: { ...TEMPLATE, repeatHead: '"pattern":"0 * * * *","tz":"Europe/Berlin"' },
  nextDueAt,
});
const runs = (dump: Record<string, unknown>) =>
  Object.keys(dump).filter((key) => /^repeat:.*:\d+$/.test(key));
const optsOf = (dump: Record<string, unknown>, id: string) =>
  JSON.parse((dump[id] as Record<string, string>).opts ?? '');

describe('addJobScheduler', () => {
  describe('moves', () => {
    it('a first run to where it runs now, and records the schedule', async () => {
      const queue = used.queue();
      await queue.seed({ meta: META });

      const run = await upsert(queue);

      const id = `repeat:nightly:${NOW}`;
      expect(run).toEqual({ jobId: id, delayMs: 0, dueAt: NOW });
      const dump = await queue.read();
      expect(dump).toEqual({
        wait: [id],
        repeat: [['nightly', NOW]],
        'repeat:nightly': { name: 'tidy', ic: '1', offset: `${NOW % EVERY}`, every: `${EVERY}` },
        [id]: {
          ...jobHash({ name: 'tidy', data: '{"a":1}', timestamp: NOW, rjk: 'nightly' }),
          opts: expect.any(String),
        },
        id: '1',
        meta: META,
        marker: [['0', 0]],
        events: [
          { event: 'added', jobId: id, name: 'tidy' },
          { event: 'waiting', jobId: id },
        ],
      });
      expect(optsOf(dump, id)).toEqual({
        attempts: 3,
        repeat: { every: EVERY, count: 1 },
        jobId: id,
        delay: 0,
        timestamp: NOW,
        repeatJobKey: 'nightly',
      });
    });

    it('a run of a later start, or of a shifted slot, to delayed', async () => {
      const [late, shifted] = [used.queue(), used.queue()];
      const startDate = NOW + 5_000;
      expect(
        await upsert(late, { schedule: { name: 'tidy', every: EVERY, startDate } }),
      ).toMatchObject({ dueAt: startDate, delayMs: 5_000 });
      expect((await late.read()).delayed).toEqual([
        [`repeat:nightly:${startDate}`, startDate * 4096],
      ]);

      const due = SLOT + EVERY + 7;
      expect(
        await upsert(shifted, { schedule: { name: 'tidy', every: EVERY, offset: 7 } }, SLOT + 7),
      ).toMatchObject({ dueAt: due });
      const dump = await shifted.read();
      expect(dump['repeat:nightly']).toMatchObject({ offset: '7' });
      expect(optsOf(dump, `repeat:nightly:${due}`).repeat).toEqual({
        every: EVERY,
        count: 1,
        offset: 7,
      });
    });

    it('a run of a cron pattern to the instant that the caller worked out', async () => {
      const queue = used.queue();
      const due = NOW + 1_234;
      expect(await upsert(queue, cron(due))).toEqual({
        jobId: `repeat:nightly:${due}`,
        delayMs: 1_234,
        dueAt: due,
      });
      const dump = await queue.read();
      expect(dump['repeat:nightly']).toMatchObject({ pattern: '0 * * * *', tz: 'Europe/Berlin' });
      expect(optsOf(dump, `repeat:nightly:${due}`)).toMatchObject({ prevMillis: due });
    });

    it.each([
      ['delayed', (id: string) => ({ delayed: { [id]: 1 } })],
      ['prioritized', (id: string) => ({ prioritized: { [id]: 1 } })],
      ['wait', (id: string) => ({ wait: [id, 'x'] })],
      ['paused', (id: string) => ({ paused: [id, 'x'] })],
    ])('a run that has not begun out of %s, and keeps its slot', async (_, place) => {
      const queue = used.queue();
      const due = NOW + 9_000;
      const old = `repeat:nightly:${due}`;
      await queue.seed({
        ...place(old),
        repeat: { nightly: due },
        'repeat:nightly': { name: 'before', every: EVERY, ic: 5, tz: 'UTC' },
        jobs: { [old]: { name: 'before', rjk: 'nightly', deid: 'd' } },
        'de:d': old,
      });
      expect(await upsert(queue)).toEqual({ jobId: old, delayMs: 9_000, dueAt: due });
      const dump = await queue.read();
      expect(runs(dump)).toEqual([old]);
      expect(dump).toMatchObject({
        delayed: [[old, due * 4096]],
        [old]: { name: 'tidy' },
        // The count of all runs stays, the rest of the record is new.
        'repeat:nightly': { name: 'tidy', ic: '5', every: `${EVERY}` },
      });
      expect(dump['repeat:nightly']).not.toHaveProperty('tz');
      expect(dump).not.toHaveProperty('de:d');
    });

    it('one of another interval away, for one of the new', async () => {
      const queue = used.queue();
      await upsert(queue, { schedule: { name: 'tidy', every: 1_000, startDate: NOW + 500 } });
      await upsert(queue);
      expect(runs(await queue.read())).toEqual([`repeat:nightly:${NOW}`]);
    });

    it('nothing away that runs: the next slot gets a run of its own', async () => {
      const queue = used.queue();
      const taken = `repeat:nightly:${NOW}`;
      await queue.seed({
        active: [taken],
        repeat: { nightly: NOW },
        'repeat:nightly': { name: 'tidy', every: EVERY, ic: 1 },
        jobs: { [taken]: { rjk: 'nightly' } },
      });
      expect(await upsert(queue)).toMatchObject({ dueAt: NOW + EVERY });
      expect(await queue.read()).toMatchObject({
        active: [taken],
        repeat: [['nightly', NOW + EVERY]],
      });
    });
  });

  describe('rejects, and writes nothing', () => {
    it('SCHEDULER_JOB_ID_COLLISION: a job has the id of the cron run', async () => {
      const queue = used.queue();
      const due = NOW + 1_234;
      await queue.seed({ jobs: { [`repeat:nightly:${due}`]: {} } });
      const call = () => upsert(queue, cron(due));
      expect(await refusal(queue, call)).toBe('SCHEDULER_JOB_ID_COLLISION');
    });

    it('SCHEDULER_JOB_SLOTS_BUSY: jobs have the ids of 33 slots', async () => {
      const queue = used.queue();
      const ids = Array.from({ length: 33 }, (_, at) => `repeat:nightly:${NOW + at * EVERY}`);
      await queue.seed({ jobs: Object.fromEntries(ids.map((id) => [id, {}])) });
      expect(await refusal(queue, () => upsert(queue))).toBe('SCHEDULER_JOB_SLOTS_BUSY');
      await used.redis.client.del(queue.key(ids[32] as string));
      expect(await upsert(queue)).toMatchObject({ jobId: ids[32] });
    });
  });

  describe('wakes', () => {
    it.each(GATES)(
      'a worker for a run of now, only while the gate is open: $gate',
      async ({ meta, open }) => {
        const queue = used.queue();
        await queue.seed({ active: ['other'], meta: { ...META, ...meta } });
        await upsert(queue);
        expect('marker' in (await queue.read())).toBe(open);
      },
    );

    it('at the due time of a later one', async () => {
      const queue = used.queue();
      await upsert(queue, cron(NOW + 1_234));
      expect((await queue.read()).marker).toEqual([['1', NOW + 1_234]]);
    });
  });

  it('announces the run as any job that is added', async () => {
    const queue = used.queue();
    await upsert(queue, cron(NOW + 5));
    const id = `repeat:nightly:${NOW + 5}`;
    expect(eventLines(await queue.read())).toEqual([
      `event=added jobId=${id} name=tidy`,
      `event=delayed jobId=${id} delay=${NOW + 5}`,
    ]);
  });
});
