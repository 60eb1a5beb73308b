import { Disposition, durationToMs, RetryMode } from '@echomq/proto/messages';
import { collect } from '@echomq/testkit';
import { describe, expect, test } from 'vitest';
import { fail, fetchOf, finishOf, seconds, useEngine } from '../use-engine.js';
import { patient } from '../use-services.js';
import { openOf, openWork, report } from '../work-link.js';

const log = collect<{ event: string; facts: object }>('log');
const note = (event: string, facts: object) => log.push({ event, facts });
const used = useEngine({
  limits: { maxBackoffMs: 60_000 },
  backoffs: {
    tides: [1_000, 5_000],
    surf: { stepsMs: [10_000], jitter: 0.5 },
    slow: { type: 'exponential', baseMs: 1_000, factor: 10, maxMs: 30_000 },
    wild: { type: 'exponential', baseMs: 1_000, factor: 10 },
    even: { type: 'fixed', baseMs: 700 },
  },
  logger: { info: () => undefined, warn: note, error: note },
});

/** What becomes of a failure of a job with this backoff, after so many attempts. */
async function failed(
  backoff: unknown,
  attemptsMade = 0,
  how: Parameters<typeof fail>[1] = {},
): Promise<number | 'RETRY_QUEUED' | 'FAILED'> {
  const queue = used.queue();
  const job = { atm: attemptsMade, opts: { attempts: 100, backoff } };
  await queue.seed({ wait: ['1'], jobs: { 1: job } });
  const { worker } = used.engine.services;
  const { jobs } = await worker.fetchJobs(fetchOf(queue), patient);
  const { result } = await worker.finishJob(finishOf(jobs[0], fail('boom', how)), patient);
  if (result?.disposition === Disposition.RETRY_QUEUED) return 'RETRY_QUEUED';
  if (result?.disposition === Disposition.FAILED) return 'FAILED';
  expect(result?.disposition).toBe(Disposition.RETRY_SCHEDULED);
  const state = await queue.read();
  expect(state.delayed).toEqual([['1', expect.any(Number)]]);
  return durationToMs(result?.retryIn) ?? Number.NaN;
}

describe('a retry waits', () => {
  const fixed = { type: 'fixed', delay: 1_500 };
  const exponential = { type: 'exponential', delay: 1_000 };

  test.each<[string, unknown, number, number | string]>([
    ['not at all without a backoff', undefined, 0, 'RETRY_QUEUED'],
    ['a number', 900, 3, 900],
    ['fixed', fixed, 3, 1_500],
    ['exponential, first', exponential, 0, 1_000],
    ['exponential, fourth', exponential, 3, 8_000],
    ['exponential, at the cap', exponential, 50, 60_000],
    ['by a name: steps, first', { type: 'tides' }, 0, 1_000],
    ['by a name: steps, second', { type: 'tides', delay: 7 }, 1, 5_000],
    ['by a name: steps, the last for ever', { type: 'tides' }, 90, 5_000],
    ['by a name: fixed', { type: 'even' }, 4, 700],
    ['by a name: exponential', { type: 'slow' }, 1, 10_000],
    ['by a name: its own maximum', { type: 'slow' }, 5, 30_000],
    ['by a name: the cap of all', { type: 'wild' }, 5, 60_000],
  ])('%s', async (_, backoff, attemptsMade, expected) => {
    expect(await failed(backoff, attemptsMade)).toBe(expected);
  });

  test.each([
    ['of the job', { type: 'fixed', delay: 10_000, jitter: 0.5 }],
    ['of a name', { type: 'surf' }],
  ])('with jitter %s within its bounds, and not always the same', async (_, backoff) => {
    const waits: number[] = [];
    for (let times = 0; times < 12; times++) waits.push(Number(await failed(backoff)));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(5_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(10_000);
    expect(new Set(waits).size).toBeGreaterThan(1);
  });

  test('T072 backoff overflow: as its worker says, up to the cap, also where nobody knows the backoff', async () => {
    const delay = (value: number) => ({ retryDelay: seconds(value) });
    expect(await failed(fixed, 0, delay(3))).toBe(3_000);
    expect(await failed(fixed, 0, delay(0))).toBe('RETRY_QUEUED');
    expect(await failed(fixed, 0, delay(3_600))).toBe(60_000);
    expect(await failed({ type: 'unheard-of' }, 0, delay(3))).toBe(3_000);
  });
});

describe('no retry', () => {
  test('when its worker says never, with or without a delay', async () => {
    const never = { retry: RetryMode.NEVER };
    expect(await failed({ type: 'tides' }, 0, never)).toBe('FAILED');
    expect(await failed({ type: 'tides' }, 0, { ...never, retryDelay: seconds(3) })).toBe('FAILED');
  });

  test('when its attempts are used up', async () => {
    expect(await failed({ type: 'tides' }, 99)).toBe('FAILED');
  });

  test('of a job whose backoff nobody knows: it fails, says why, and it is logged', async () => {
    const queue = used.queue();
    const opts = { attempts: 5, backoff: { type: 'unheard-of' } };
    await queue.seed({ wait: ['1'], jobs: { 1: { opts } } });
    const worker = openWork(used.engine, openOf(queue));
    const [delivery] = await worker.waitFor('delivery');
    worker.send(report(1, delivery?.jobs[0], fail('boom')));
    const [ack] = await worker.waitFor('reportAck');
    const disposition = Disposition.FAILED;
    expect(ack?.outcome).toMatchObject({ $case: 'result', value: { disposition } });
    const problem = 'unknown backoff unheard-of';
    expect(await queue.read()).toMatchObject({ 1: { failedReason: `boom (${problem})` } });
    const facts = { queue: queue.name, jobId: '1', problem };
    expect(log.items).toContainEqual({ event: 'job.notRetried', facts });
    worker.cut();
    await worker.over;
  });
});
