import { describe, expect, it } from 'vitest';
import { schedulerService } from '../../src/services/scheduler/scheduler-service.js';
import { patient, useServices } from '../use-services.js';
import { cron, every, previewOf } from './schedule-requests.js';

const used = useServices();

async function preview(...request: Parameters<typeof previewOf>): Promise<string[]> {
  const answer = await schedulerService(used.deps).previewSchedule(previewOf(...request), patient);
  return answer.runs.map((run) => run.toISOString().replace(':00.000Z', ''));
}

describe('PreviewSchedule', () => {
  it('shows intervals as the store would run them', async () => {
    const after = '2026-01-01T00:00:30Z';
    const minute = { seconds: 60, nanos: 0 };
    expect(await preview(every(3_600_000, { offset: minute }), after, 2)).toEqual([
      '2026-01-01T00:01',
      '2026-01-01T01:01',
    ]);
    const startAt = new Date('2026-01-02T00:00:00Z');
    expect(await preview(every(60_000, { startAt, limit: 2 }), after, 9)).toEqual([
      '2026-01-02T00:00',
      '2026-01-02T00:01',
    ]);
    const endAt = new Date('2026-01-02T00:01:30Z');
    expect(await preview(every(60_000, { startAt, endAt }), after, 9)).toHaveLength(2);
  });

  it('shows rules of five and six fields, in UTC without a zone', async () => {
    const after = '2026-02-27T00:00:00Z';
    expect(await preview(cron('0 12 L * *'), after, 2)).toEqual([
      '2026-02-28T12:00',
      '2026-03-31T12:00',
    ]);
    expect(await preview(cron('30 0 9 * * mon-fri', 'America/New_York'), after, 1)).toEqual([
      '2026-02-27T14:00:30.000Z',
    ]);
    const startAt = new Date('2026-02-28T12:00:00Z');
    expect(await preview(cron('0 12 * * *', '', { startAt }), after, 1)).toEqual([
      '2026-02-28T12:00',
    ]);
    const endAt = new Date('2026-02-28T12:00:00Z');
    expect(await preview(cron('0 12 * * *', '', { endAt }), after, 9)).toHaveLength(2);
    expect(await preview(cron('@daily', '', { immediately: true }), after, 2)).toEqual([
      '2026-02-27T00:00',
      '2026-02-28T00:00',
    ]);
  });

  // In Berlin 02:00 becomes 03:00 on 2026-03-29 (01:00 UTC) and 03:00 becomes 02:00 on 2026-10-25 (01:00 UTC).
  it('T061 DST: runs once at the same minute of the next hour where the clocks skip one', async () => {
    const after = '2026-03-28T12:00:00Z';
    expect(await preview(cron('30 2 * * *', 'Europe/Berlin'), after, 3)).toEqual([
      '2026-03-29T01:30',
      '2026-03-30T00:30',
      '2026-03-31T00:30',
    ]);
    expect(await preview(cron('*/30 2 * * *', 'Europe/Berlin'), after, 3)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:00',
      '2026-03-30T00:30',
    ]);
    expect(await preview(cron('15 2,3 * * *', 'Europe/Berlin'), after, 2)).toEqual([
      '2026-03-29T01:15',
      '2026-03-30T00:15',
    ]);
  });

  it('T061 DST: runs the first time only where the clocks repeat an hour', async () => {
    const after = '2026-10-24T12:00:00Z';
    expect(await preview(cron('30 2 * * *', 'Europe/Berlin'), after, 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
    expect(await preview(cron('0 1-3 * * *', 'Europe/Berlin'), after, 4)).toEqual([
      '2026-10-24T23:00',
      '2026-10-25T00:00',
      '2026-10-25T02:00',
      '2026-10-26T00:00',
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-03-27', '2026-10-23'],
    ['America/New_York', '2026-03-06', '2026-10-30'],
    ['America/Santiago', '2026-04-03', '2026-09-04'],
    ['America/St_Johns', '2026-03-06', '2026-10-30'],
    ['Australia/Sydney', '2026-04-03', '2026-10-02'],
    ['Australia/Lord_Howe', '2026-04-03', '2026-10-02'],
    ['Africa/Cairo', '2026-04-22', '2026-10-28'],
    ['Antarctica/Troll', '2026-03-27', '2026-10-23'],
  ])(
    'T061 DST: one run per local day over both changes, whatever the hour, in %s',
    async (zone, ...changes) => {
      const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
      for (const change of changes) {
        for (const rule of [
          '0 0 * * *',
          '45 0 * * *',
          '15 1 * * *',
          '15 2 * * *',
          '30 2 * * *',
          '59 23 * * *',
        ]) {
          const runs = await preview(cron(rule, zone), `${change}T12:00:00Z`, 5);
          const days = runs.map((run) => day.format(new Date(`${run}Z`)));
          const [first = '', last = ''] = [days[0], days.at(-1)];
          expect(new Set(days).size, `${rule} ${runs}`).toBe(5);
          expect(Date.parse(last) - Date.parse(first), `${rule} ${runs}`).toBe(4 * 86_400_000);
        }
      }
    },
  );

  it('T061 DST: a rule for every hour goes on where clocks change by half an hour', async () => {
    const hourly = cron('0 * * * *', 'Australia/Lord_Howe');
    expect(await preview(hourly, '2026-04-04T13:30:00Z', 4)).toEqual([
      '2026-04-04T14:00',
      '2026-04-04T15:30',
      '2026-04-04T16:30',
      '2026-04-04T17:30',
    ]);
  });

  it('goes by elapsed time with a rule for every hour', async () => {
    const hourly = cron('0 * * * *', 'Europe/Berlin');
    expect(await preview(hourly, '2026-03-28T23:30:00Z', 3)).toEqual([
      '2026-03-29T00:00',
      '2026-03-29T01:00',
      '2026-03-29T02:00',
    ]);
    expect(await preview(hourly, '2026-10-24T23:30:00Z', 4)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
      '2026-10-25T03:00',
    ]);
  });
});
