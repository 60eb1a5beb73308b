import { collect } from '@echomq/testkit';
import { expect, it } from 'vitest';
import { InvalidRequest, type JobTemplate, type RepeatOptions } from '../src/index.js';
import { overBoth } from './places.js';

const HOUR_MS = 3_600_000;

overBoth('job schedulers', (place) => {
  it('make their next job, and are read, replaced and removed', async () => {
    const queue = place.queue<{ n: number }>();
    const began = Date.now();
    const job = await queue.upsertJobScheduler(
      'hourly',
      { every: HOUR_MS, startDate: began + HOUR_MS, limit: 5 },
      { name: 'report', data: { n: 1 }, opts: { attempts: 3, priority: 2 } },
    );
    expect(job).toMatchObject({
      name: 'report',
      queueName: queue.name,
      state: 'delayed',
      data: { n: 1 },
      repeatJobKey: 'hourly',
      nextRun: new Date(began + HOUR_MS),
    });
    const stored = await queue.getJob(job.id);
    expect(stored).toMatchObject({ name: 'report', data: { n: 1 }, repeatJobKey: 'hourly' });
    expect(stored?.opts).toMatchObject({ attempts: 3, priority: 2 });
    const read = {
      key: 'hourly',
      name: 'report',
      every: HOUR_MS,
      pattern: undefined,
      tz: undefined,
      limit: 5,
      startDate: began + HOUR_MS,
      endDate: undefined,
      offset: expect.any(Number),
      next: began + HOUR_MS,
      nextJobId: job.id,
      iterationCount: 1,
      template: { data: { n: 1 }, opts: { attempts: 3, priority: 2 } },
    };
    expect(await queue.getJobScheduler('hourly')).toEqual(read);
    const again = await queue.upsertJobScheduler('hourly', {
      pattern: '0 12 * * *',
      tz: 'Europe/Berlin',
    });
    expect(again.nextRun.getTime()).toBeGreaterThan(began);
    expect(await queue.getJobScheduler('hourly')).toMatchObject({
      name: 'hourly',
      every: undefined,
      pattern: '0 12 * * *',
      tz: 'Europe/Berlin',
      next: again.nextRun.getTime(),
      nextJobId: again.id,
    });
    expect(await queue.getDelayedCount()).toBe(1);
    expect(await queue.removeJobScheduler('hourly')).toBe(true);
    expect(await queue.removeJobScheduler('hourly')).toBe(false);
    expect(await queue.getJobScheduler('hourly')).toBeUndefined();
    expect(await queue.getDelayedCount()).toBe(0);
  });

  it('are listed page by page in the order of their next run', async () => {
    const queue = place.queue();
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const [index, name] of names.entries()) {
      const startDate = Date.now() + (index + 1) * HOUR_MS;
      await queue.upsertJobScheduler(name, { every: HOUR_MS, startDate });
    }
    const keys = (list: readonly { readonly key: string }[]) => list.map(({ key }) => key);
    expect(keys(await queue.getJobSchedulers().all())).toEqual(names);
    const list = queue.getJobSchedulers({ pageSize: 2, order: 'desc' });
    const first = await list.page();
    expect(keys(first.items)).toEqual(['e', 'd']);
    const rest = { pageToken: first.nextPageToken ?? '', order: 'desc', pageSize: 2 } as const;
    expect(keys(await queue.getJobSchedulers(rest).all())).toEqual(['c', 'b', 'a']);
    expect(keys(await list.all())).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(await queue.getJobSchedulersCount()).toBe(5);
    expect(await place.queue(queue.connection).getJobSchedulersCount()).toBe(0);
  });

  it('go on by themselves while workers run their jobs', async () => {
    const queue = place.queue<{ n: number }>();
    const runs = collect<string>('runs');
    place.worker(queue, (job) => runs.push(`${job.repeatJobKey}:${job.data.n}`));
    await queue.upsertJobScheduler('often', { every: 100, limit: 3 }, { data: { n: 7 } });
    await runs.waitFor(3, 15_000);
    expect(runs.items).toEqual(['often:7', 'often:7', 'often:7']);
  });

  it('stand over the default options of the queue, but for what is not theirs', async () => {
    const { name, connection } = place.queue();
    const { Queue } = await import('../src/index.js');
    const defaultJobOptions = { attempts: 4, keepLogs: 9, delay: 60_000, jobId: 'mine' };
    const queue = new Queue(name, { connection, defaultJobOptions });
    const repeat = { every: HOUR_MS, immediately: true };
    const { id, state } = await queue.upsertJobScheduler('s', repeat, { opts: { attempts: 2 } });
    expect(id).toMatch(/^repeat:s:\d+$/);
    expect(state).toBe('waiting');
    expect((await queue.getJob(id))?.opts).toMatchObject({ attempts: 2, keepLogs: 9 });
    expect(await queue.getJobState(id)).toBe('waiting');
  });

  it('are previewed, and nothing is written', async () => {
    const queue = place.queue();
    const after = new Date('2026-03-28T12:00:00Z');
    const repeat = { pattern: '30 2 * * *', tz: 'Europe/Berlin' };
    expect(await queue.previewSchedule(repeat, { count: 3, after })).toEqual([
      new Date('2026-03-29T01:30:00Z'),
      new Date('2026-03-30T00:30:00Z'),
      new Date('2026-03-31T00:30:00Z'),
    ]);
    expect(await queue.previewSchedule({ every: 500, limit: 2 })).toHaveLength(2);
    expect(await queue.previewSchedule({ every: 500 })).toHaveLength(10);
    expect(await place.redis.freshQueue({ name: queue.name }).read()).toEqual({});
  });

  const bad = (repeat: unknown, template: unknown = {}) => ({
    repeat: repeat as RepeatOptions,
    template: template as JobTemplate,
  });
  const minutely = { pattern: '* * * * *' };

  it.each([
    ['interval and pattern', 'repeat.pattern', bad({ every: 1_000, ...minutely })],
    ['neither', 'repeat.every', bad({})],
    ['no schedule', 'repeat', bad(undefined)],
    ['a zone of an interval', 'repeat.tz', bad({ every: 1_000, tz: 'UTC' })],
    ['no interval at all', 'repeat.every', bad({ every: 0 })],
    ['an interval that is no number', 'repeat.every', bad({ every: Number.NaN })],
    ['a negative limit', 'repeat.limit', bad({ every: 1_000, limit: -1 })],
    ['a limit of none', 'schedule.limit', bad({ every: 1_000, limit: 0 })],
    ['an offset of a pattern', 'repeat.offset', bad({ ...minutely, offset: 1 })],
    ['an offset that is too long', 'schedule.offset', bad({ every: 1_000, offset: 1_000 })],
    [
      'a start with a run at once',
      'repeat.immediately',
      bad({ every: 1_000, immediately: true, startDate: new Date() }),
    ],
    ['an end in the past', 'schedule.end_at', bad({ every: 1_000, endDate: 5 })],
    ['an end that is no Date', 'repeat.endDate', bad({ every: 1_000, endDate: 'soon' })],
    ['an unknown option', 'repeat.cron', bad({ cron: '* * * * *' })],
    ['an id in the template', 'template.opts.jobId', bad(minutely, { opts: { jobId: 'a' } })],
    ['a delay in it', 'template.opts.delay', bad(minutely, { opts: { delay: 1 } })],
    [
      'deduplication in it',
      'template.opts.deduplication',
      bad(minutely, { opts: { deduplication: { id: 'a' } } }),
    ],
    ['a misspelt option in it', 'template.opts.atempts', bad(minutely, { opts: { atempts: 1 } })],
    ['a misspelt part of it', 'template.options', bad(minutely, { options: {} })],
    [
      'a bad pattern',
      'schedule.cron.expression',
      { ...bad({ pattern: '61 * * * *' }), reason: 'CRON_INVALID' },
    ],
    [
      'a pattern of four fields',
      'schedule.cron.expression',
      { ...bad({ pattern: '* * * *' }), reason: 'CRON_INVALID' },
    ],
    [
      'a zone that does not exist',
      'schedule.cron.time_zone',
      { ...bad({ ...minutely, tz: 'Mars/Olympus' }), reason: 'CRON_INVALID' },
    ],
    [
      'data that JSON cannot hold',
      'template.data.n',
      { ...bad(minutely, { data: { n: 1n } }), reason: 'PAYLOAD_NOT_JSON' },
    ],
  ])('refuse %s by name, and nothing is written', async (_what, field, input) => {
    const { repeat, template, reason = 'INVALID_FIELD' } = { reason: undefined, ...input };
    const queue = place.queue();
    const error = await queue.upsertJobScheduler('s', repeat, template).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', reason, field });
    expect(await place.redis.freshQueue({ name: queue.name }).read()).toEqual({});
  });

  it.each(['', 'x'.repeat(257), '\ud800', 7 as never])('refuse the id %j', async (id) => {
    const queue = place.queue();
    await expect(queue.upsertJobScheduler(id, { every: 1_000 })).rejects.toBeInstanceOf(
      InvalidRequest,
    );
    await expect(queue.getJobScheduler(id)).rejects.toBeInstanceOf(InvalidRequest);
    expect(await place.redis.freshQueue({ name: queue.name }).read()).toEqual({});
  });
});
