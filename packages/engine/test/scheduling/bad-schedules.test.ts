import { describe, expect, it } from 'vitest';
import { schedulerService } from '../../src/services/scheduler/scheduler-service.js';
import { patient, refused, useServices } from '../use-services.js';
import { cron, every, upsertOf } from './schedule-requests.js';

const used = useServices();
const FUTURE = new Date(Date.now() + 3_600_000);

type Schedule = Parameters<typeof upsertOf>[1];
type More = Parameters<typeof upsertOf>[2];

describe('UpsertScheduler refuses and writes nothing', () => {
  it.each<[string, Schedule, string, string]>([
    ['no schedule', undefined, 'INVALID_FIELD', 'schedule'],
    ['neither interval nor calendar', {}, 'INVALID_FIELD', 'schedule.repeat'],
    ['an interval of nothing', every(0), 'INVALID_FIELD', 'schedule.every'],
    ['a negative interval', every(-1_000), 'INVALID_FIELD', 'schedule.every'],
    [
      'an offset as long as it',
      every(500, { offset: { nanos: 5e8 } }),
      'INVALID_FIELD',
      'schedule.offset',
    ],
    [
      'an offset to the calendar',
      cron('* * * * *', '', { offset: { seconds: 1 } }),
      'INVALID_FIELD',
      'schedule.offset',
    ],
    [
      'at once with a start',
      every(500, { immediately: true, startAt: FUTURE }),
      'INVALID_FIELD',
      'schedule.immediately',
    ],
    [
      'at once with an offset',
      every(500, { immediately: true, offset: { nanos: 1e6 } }),
      'INVALID_FIELD',
      'schedule.immediately',
    ],
    [
      'an end that has passed',
      every(500, { endAt: new Date(1_000) }),
      'INVALID_FIELD',
      'schedule.end_at',
    ],
    [
      'an end before the start',
      every(500, { startAt: FUTURE, endAt: FUTURE }),
      'INVALID_FIELD',
      'schedule.end_at',
    ],
    [
      'an end before the first run',
      cron('0 0 29 2 *', '', { endAt: new Date(Date.now() + 1_000) }),
      'INVALID_FIELD',
      'schedule.end_at',
    ],
    [
      'an invalid date',
      every(500, { endAt: new Date(Number.NaN) }),
      'INVALID_FIELD',
      'schedule.end_at',
    ],
    ['no run at all', every(500, { limit: 0 }), 'INVALID_FIELD', 'schedule.limit'],
    ['half a run', every(500, { limit: 1.5 }), 'INVALID_FIELD', 'schedule.limit'],
    [
      'a zone that is none',
      cron('* * * * *', 'Mars/Olympus'),
      'CRON_INVALID',
      'schedule.cron.time_zone',
    ],
    ['no rule', cron(''), 'INVALID_FIELD', 'schedule.cron.expression'],
    ['a minute too high', cron('60 * * * *'), 'CRON_INVALID', 'schedule.cron.expression'],
    ['words', cron('every day at noon x'), 'CRON_INVALID', 'schedule.cron.expression'],
    ['four fields', cron('* * * *'), 'CRON_INVALID', 'schedule.cron.expression'],
    ['seven fields', cron('* * * * * * *'), 'CRON_INVALID', 'schedule.cron.expression'],
    ['the 31st of February', cron('0 0 31 2 *'), 'CRON_INVALID', 'schedule.cron.expression'],
    ['chance', cron('H * * * *'), 'CRON_INVALID', 'schedule.cron.expression'],
    ['steps of nothing', cron('*/0 * * * *'), 'CRON_INVALID', 'schedule.cron.expression'],
    ['an unknown alias', cron('@reboot'), 'CRON_INVALID', 'schedule.cron.expression'],
  ])('%s', async (_, schedule, reason, field) => {
    await refuse({ schedule, more: {}, reason, field });
  });

  it.each<[string, More, string, string]>([
    ['no id', { schedulerId: '' }, 'INVALID_FIELD', 'scheduler_id'],
    ['a long id', { schedulerId: 'é'.repeat(129) }, 'INVALID_FIELD', 'scheduler_id'],
    ['the id of a run', { schedulerId: `s:${Date.now()}` }, 'INVALID_FIELD', 'scheduler_id'],
    ['no JSON', { template: { data: Buffer.from('{') } }, 'PAYLOAD_NOT_JSON', 'template.data'],
    [
      'a job id',
      { template: { options: { jobId: 'x' } } },
      'INVALID_FIELD',
      'template.options.job_id',
    ],
    [
      'deduplication',
      { template: { options: { deduplication: { id: 'x' } } } },
      'INVALID_FIELD',
      'template.options.deduplication',
    ],
    [
      'a due time',
      { template: { options: { due: { $case: 'runAt', value: FUTURE } } } },
      'INVALID_FIELD',
      'template.options.due',
    ],
    [
      'a priority too high',
      { template: { options: { priority: 2_097_152 } } },
      'INVALID_FIELD',
      'template.options.priority',
    ],
  ])('%s', async (_, more, reason, field) => {
    await refuse({ schedule: every(500), more, reason, field });
  });

  it('PreviewSchedule refuses the same', async () => {
    const preview = (schedule: Schedule, count = 0) =>
      schedulerService(used.deps).previewSchedule(
        { schedule: upsertOf({ name: 'q' }, schedule).schedule, count, after: undefined },
        patient,
      );
    expect((await refused(preview(cron('60 * * * *')))).reason).toBe('CRON_INVALID');
    expect((await refused(preview(undefined))).metadata.field).toBe('schedule');
    expect((await refused(preview(every(500), 101))).metadata.field).toBe('count');
  });
});

async function refuse(wanted: {
  readonly schedule: Schedule;
  readonly more: More;
  readonly reason: string;
  readonly field: string;
}): Promise<void> {
  const queue = used.queue();
  const call = schedulerService(used.deps).upsertScheduler(
    upsertOf(queue, wanted.schedule, wanted.more),
    patient,
  );
  expect(await refused(call)).toMatchObject({
    code: 'INVALID_ARGUMENT',
    reason: wanted.reason,
    metadata: { field: wanted.field },
  });
  expect(await queue.read()).toEqual({});
}
