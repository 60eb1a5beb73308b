import { JobState } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { queueService } from '../../src/services/queue/queue-service.js';
import { schedulerService } from '../../src/services/scheduler/scheduler-service.js';
import { patient, refused, useServices } from '../use-services.js';
import { cron, every, upsertOf } from './schedule-requests.js';

const used = useServices();
const service = () => schedulerService(used.deps);
const HOUR = 3_600_000;

describe('UpsertScheduler', () => {
  it('makes a scheduler and its first run', async () => {
    const queue = used.queue();
    const template = {
      name: 'report',
      data: Buffer.from('{"a": 1.10}'),
      options: { attempts: 3, priority: 2 },
    };
    const schedule = every(HOUR, { limit: 5 });
    const answer = await service().upsertScheduler(
      upsertOf(queue, schedule, { template }),
      patient,
    );
    const due = answer.nextRun?.getTime() ?? 0;
    const id = `repeat:s:${due}`;
    expect(answer.nextJobId).toBe(id);
    expect(Math.abs(Date.now() - due)).toBeLessThan(5_000);
    const offset = due % HOUR;
    const opts = {
      attempts: 3,
      priority: 2,
      repeat: { every: HOUR, limit: 5, count: 1 },
      jobId: id,
      delay: 0,
      timestamp: due,
      repeatJobKey: 's',
    };
    const dump = await queue.read();
    expect(dump).toEqual({
      repeat: [['s', due]],
      'repeat:s': {
        name: 'report',
        ic: '1',
        limit: '5',
        every: String(HOUR),
        offset: String(offset),
        opts: '{"attempts":3,"priority":2}',
        data: '{"a": 1.10}',
      },
      [id]: {
        name: 'report',
        data: '{"a": 1.10}',
        opts: expect.any(String),
        timestamp: String(due),
        delay: '0',
        priority: '2',
        rjk: 's',
      },
      prioritized: [[id, 2 * 2 ** 32 + 1]],
      id: '1',
      pc: '1',
      meta: { 'opts.maxLenEvents': '10000' },
      marker: [['0', 0]],
      events: [
        { event: 'added', jobId: id, name: 'report' },
        { event: 'waiting', jobId: id },
      ],
    });
    expect(JSON.parse((dump[id] as Record<string, string>).opts ?? '')).toEqual(opts);
  });

  it('takes the name from its id, and stores no empty data', async () => {
    const queue = used.queue();
    const id = 'nightly: über "all"';
    await service().upsertScheduler(upsertOf(queue, every(HOUR), { schedulerId: id }), patient);
    const dump = await queue.read();
    expect(dump[`repeat:${id}`]).not.toHaveProperty('data');
    const key = Object.keys(dump).find((name) => name.startsWith(`repeat:${id}:`)) ?? '';
    const run = dump[key] as Record<string, string>;
    expect(run).toMatchObject({ name: id, data: '{}', rjk: id });
    expect(JSON.parse(run.opts ?? '')).toMatchObject({ jobId: key, repeatJobKey: id });
  });

  it('waits for its start, for its offset, and for the calendar', async () => {
    const queue = used.queue();
    const startAt = new Date(Date.now() + HOUR);
    const started = await service().upsertScheduler(
      upsertOf(queue, every(1_000, { startAt }), { schedulerId: 'start' }),
      patient,
    );
    expect(started.nextRun).toEqual(startAt);
    const shifted = await service().upsertScheduler(
      upsertOf(queue, every(HOUR, { offset: { seconds: 60, nanos: 0 } }), { schedulerId: 'off' }),
      patient,
    );
    expect((shifted.nextRun?.getTime() ?? 0) % HOUR).toBe(60_000);
    const yearly = await service().upsertScheduler(
      upsertOf(queue, cron('30 8 1 1 *', 'Asia/Tokyo'), { schedulerId: 'cron' }),
      patient,
    );
    expect(yearly.nextRun?.toISOString()).toMatch(/-12-31T23:30:00.000Z$/);
    const counts = await queueService(used.deps).getJobCounts(
      { queue: queue.name, states: [JobState.DELAYED] },
      patient,
    );
    expect(counts.counts).toEqual([{ state: JobState.DELAYED, count: 3 }]);
  });

  it('runs at once when asked, also by the calendar', async () => {
    const queue = used.queue();
    const { nextJobId } = await service().upsertScheduler(
      upsertOf(queue, cron('0 0 1 1 *', '', { immediately: true })),
      patient,
    );
    expect((await queue.read()).wait).toEqual([nextJobId]);
  });

  it('keeps the slot of the run ahead, and has one run ahead however often it is repeated', async () => {
    const queue = used.queue();
    const request = upsertOf(queue, every(HOUR, { startAt: new Date(Date.now() + HOUR) }));
    const calendar = upsertOf(queue, cron('0 0 1 1 *'), { schedulerId: 'c' });
    const first = await service().upsertScheduler(request, patient);
    const other = await service().upsertScheduler(calendar, patient);
    const again = await Promise.all(
      Array.from({ length: 20 }, () => service().upsertScheduler(request, patient)),
    );
    await service().upsertScheduler(calendar, patient);
    expect(new Set(again.map(({ nextJobId }) => nextJobId))).toEqual(new Set([first.nextJobId]));
    const dump = await queue.read();
    expect((dump.delayed as [string, number][]).map(([id]) => id).sort()).toEqual(
      [first.nextJobId, other.nextJobId].sort(),
    );
    expect(dump['repeat:s']).toMatchObject({ ic: '1' });
  });

  it('has one run while the queue is paused, and keeps one of the calendar that is due', async () => {
    const queue = used.queue();
    const pausing = queueService(used.deps).pauseQueue({ queue: queue.name }, patient);
    await pausing;
    const runs = [];
    for (let i = 0; i < 3; i++) {
      runs.push(await service().upsertScheduler(upsertOf(queue, every(HOUR)), patient));
    }
    expect((await queue.read()).wait).toEqual([runs[2]?.nextJobId]);
    expect(new Set(runs.map(({ nextJobId }) => nextJobId)).size).toBe(1);

    const due = Date.now() - 60_000;
    const id = `repeat:c:${due}`;
    await queue.seed({
      repeat: { c: due },
      'repeat:c': { name: 'c', ic: 4, pattern: '0 0 1 1 *' },
      jobs: { [id]: { rjk: 'c' } },
      wait: [id],
    });
    const kept = await service().upsertScheduler(
      upsertOf(queue, cron('0 0 1 1 *'), { schedulerId: 'c' }),
      patient,
    );
    expect(kept.nextJobId).toBe(id);
    expect(await queue.read()).toMatchObject({ wait: [id], 'repeat:c': { ic: '4' } });
  });

  it('changes interval and template of the run ahead', async () => {
    const queue = used.queue();
    const startAt = new Date(Date.now() + HOUR);
    await service().upsertScheduler(upsertOf(queue, every(HOUR, { startAt })), patient);
    const changed = await service().upsertScheduler(
      upsertOf(queue, cron('0 0 1 1 *'), { template: { name: 'new', data: Buffer.from('7') } }),
      patient,
    );
    const dump = await queue.read();
    expect(dump.delayed).toEqual([[changed.nextJobId, expect.any(Number)]]);
    expect(dump[changed.nextJobId]).toMatchObject({ name: 'new', data: '7' });
    expect(dump['repeat:s']).toEqual({
      name: 'new',
      ic: '1',
      pattern: '0 0 1 1 *',
      offset: '0',
      opts: '{"attempts":0}',
      data: '7',
    });
  });
});

describe('GetScheduler, ListSchedulers, RemoveScheduler', () => {
  it('GetScheduler shows what was set', async () => {
    const queue = used.queue();
    const endAt = new Date(Date.now() + 2 * HOUR);
    const schedule = cron('*/5 * * * *', 'Europe/Berlin', { limit: 3, endAt });
    const template = { name: 'n', data: Buffer.from('[1]'), options: { attempts: 2 } };
    const made = await service().upsertScheduler(upsertOf(queue, schedule, { template }), patient);
    const request = { queue: queue.name, schedulerId: 's' };
    const { scheduler } = await service().getScheduler(request, patient);
    expect(scheduler).toMatchObject({
      queue: queue.name,
      schedulerId: 's',
      schedule: {
        repeat: {
          $case: 'cron',
          value: { expression: '*/5 * * * *', timeZone: 'Europe/Berlin' },
        },
        startAt: undefined,
        endAt,
        limit: 3,
        offset: undefined,
      },
      template: { name: 'n', data: Buffer.from('[1]'), options: { attempts: 2 } },
      nextRun: made.nextRun,
      nextJobId: made.nextJobId,
      iterations: 1,
    });
    const missing = { queue: queue.name, schedulerId: 'none' };
    expect(await refused(service().getScheduler(missing, patient))).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'SCHEDULER_NOT_FOUND',
    });
  });

  it('ListSchedulers pages in the order of the next runs and leaves legacy repeatables alone', async () => {
    const queue = used.queue();
    for (const [at, schedulerId] of [3, 1, 2].entries()) {
      const startAt = new Date(Date.now() + schedulerId * HOUR + at);
      const request = upsertOf(queue, every(HOUR, { startAt }), { schedulerId: `s${schedulerId}` });
      await service().upsertScheduler(request, patient);
    }
    await used.redis.client.zadd(queue.key('repeat'), 1, 'legacy');
    await used.redis.client.hset(queue.key('repeat:legacy'), 'name', 'old');
    const list = (descending: boolean, pageToken = '') =>
      service().listSchedulers({ queue: queue.name, pageSize: 2, pageToken, descending }, patient);
    const first = await list(false);
    const second = await list(false, first.nextPageToken);
    const ids = [...first.schedulers, ...second.schedulers].map((one) => one.schedulerId);
    expect([ids, first.total, second.nextPageToken]).toEqual([['s1', 's2', 's3'], 4, '']);
    expect((await list(true)).schedulers.map((one) => one.schedulerId)).toEqual(['s3', 's2']);
    expect((await refused(list(true, first.nextPageToken))).metadata.field).toBe('page_token');
    const nothing = { queue: 'unknown', pageSize: 0, pageToken: '', descending: false };
    expect(await service().listSchedulers(nothing, patient)).toEqual({
      schedulers: [],
      total: 0,
      nextPageToken: '',
    });
    expect((await queue.read())['repeat:legacy']).toEqual({ name: 'old' });
  });

  it('RemoveScheduler takes the run ahead with it', async () => {
    const queue = used.queue();
    const startAt = new Date(Date.now() + HOUR);
    await service().upsertScheduler(upsertOf(queue, every(HOUR, { startAt })), patient);
    const request = { queue: queue.name, schedulerId: 's', allowMissing: false };
    expect(await service().removeScheduler(request, patient)).toEqual({ removed: true });
    expect(Object.keys(await queue.read()).sort()).toEqual(['events', 'id', 'marker', 'meta']);
    expect((await refused(service().removeScheduler(request, patient))).reason).toBe(
      'SCHEDULER_NOT_FOUND',
    );
    const quiet = { ...request, allowMissing: true };
    expect(await service().removeScheduler(quiet, patient)).toEqual({ removed: false });
  });
});
