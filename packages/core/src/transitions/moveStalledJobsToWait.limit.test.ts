import { jobHash, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { moveStalledJobsToWait, type SweepOptions } from './moveStalledJobsToWait.js';

const used = useStore();
const REASON = 'job stalled more than allowable limit';
const sweep = (queue: TestQueue, more: Partial<SweepOptions> = {}) =>
  moveStalledJobsToWait(
    used.store,
    queue.keys,
    { maxStalledCount: 1, stalledInterval: 60_000, ...more },
    NOW,
  );
/** A job that has stalled once already and does so again. */
const stalling = (job: Record<string, unknown> = {}, more: QueueState = {}): QueueState => ({
  active: ['1'],
  stalled: ['1'],
  meta: META,
  jobs: { 1: { stc: 1, ats: 2, ...job } },
  ...more,
});

describe('moveStalledJobsToWait beyond the limit', () => {
  it('fails the job for good, with all that belongs to it', async () => {
    const queue = used.queue();
    const parent = { id: 'p', queueKey: queue.base.slice(0, -1), fpof: true };
    const job = { atm: 1, opts: { attempts: 2 }, deid: 'd', parent, parentKey: queue.key('p') };
    await queue.seed(
      stalling(job, {
        'de:d': '1',
        'p:dependencies': [queue.key('1')],
        'waiting-children': { p: 1 },
        'metrics:failed': { count: 1, prevTS: NOW, prevCount: 0 },
      }),
    );
    await queue.seed({ jobs: { p: { timestamp: 1 } } });

    const swept = await sweep(queue, { maxMetricsSize: 5 });

    expect(swept).toEqual({ recovered: [], failed: ['1'], unbegun: 0, more: false });
    expect(await queue.read()).toEqual({
      failed: [['1', NOW]],
      wait: ['p'],
      'stalled-check': `${NOW}`,
      1: jobHash({
        ...job,
        stc: 2,
        ats: 2,
        atm: 2,
        failedReason: REASON,
        finishedOn: NOW,
      }),
      p: jobHash({ timestamp: 1, defa: `child ${queue.key('1')} failed` }),
      'p:unsuccessful': [[queue.key('1'), NOW]],
      'metrics:failed': { count: '2', prevTS: `${NOW}`, prevCount: '0' },
      meta: META,
      marker: [['0', 0]],
      events: [
        { event: 'waiting', jobId: 'p', prev: 'waiting-children' },
        { event: 'failed', jobId: '1', failedReason: REASON, prev: 'active' },
        { event: 'retries-exhausted', jobId: '1', attemptsMade: '2' },
        { event: 'stalled', jobId: '1' },
      ],
    });
  });

  it('although attempts are left', async () => {
    const queue = used.queue();
    await queue.seed(stalling({ opts: { attempts: 9 } }));
    expect(await sweep(queue)).toMatchObject({ failed: ['1'] });
    expect(eventLines(await queue.read())).toEqual([
      `event=failed jobId=1 failedReason=${REASON} prev=active`,
      'event=stalled jobId=1',
    ]);
  });

  it.each([
    [0, 0, 'failed'],
    [0, 1, 'recovered'],
    [1, 2, 'recovered'],
    [2, 2, 'failed'],
    ['many', 1, 'recovered'],
  ] as const)(
    'a job that stalled %s times, where %s are allowed, is %s',
    async (stc, maxStalledCount, where) => {
      const queue = used.queue();
      await queue.seed(stalling({ stc }));
      expect(await sweep(queue, { maxStalledCount })).toMatchObject({ [where]: ['1'] });
    },
  );

  it('keeps what the job says', async () => {
    const queue = used.queue();
    await queue.seed(stalling({ opts: { removeOnFail: true } }));
    await sweep(queue);
    expect(await queue.read()).not.toHaveProperty('1');
    await queue.seed(stalling({ opts: 'nonsense', parent: '{broken' }));
    await sweep(queue, { force: true });
    expect(await queue.read()).toMatchObject({ failed: [['1', NOW]] });
  });

  it.each([
    ['its record', { 'repeat:nightly': { ic: 3 } }],
    ['its place in the schedule', { repeat: { nightly: NOW } }],
  ])('recovers a run of a scheduler that exists, by %s', async (_, scheduler) => {
    const queue = used.queue();
    await queue.seed(stalling({ stc: 7, rjk: 'nightly' }, scheduler));
    expect(await sweep(queue)).toMatchObject({ recovered: ['1'], failed: [] });
    expect(await queue.read()).toMatchObject({ wait: ['1'], 1: { stc: '8' } });
  });

  it('fails a run of a scheduler that is gone', async () => {
    const queue = used.queue();
    await queue.seed(stalling({ rjk: 'nightly' }, { repeat: { other: NOW } }));
    expect(await sweep(queue)).toMatchObject({ recovered: [], failed: ['1'] });
  });

  it.each([
    ['wakes a worker for the slot that it frees', { concurrency: 1 }, true],
    ['wakes nobody in a paused queue', { concurrency: 1, paused: 1 }, false],
    ['wakes nobody without a global concurrency', {}, false],
  ])('%s', async (_, gate, wakes) => {
    const queue = used.queue();
    await queue.seed(stalling({}, { wait: ['2'], meta: { ...META, ...gate } }));
    await sweep(queue);
    expect('marker' in (await queue.read())).toBe(wakes);
  });
});
