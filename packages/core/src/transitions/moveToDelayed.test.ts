import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { endedBefore, itKeepsReceipts, sessionReceipt } from '../../test/receipts.js';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { type Delay, moveToDelayed } from './moveToDelayed.js';

const used = useStore();
const DUE = NOW + 1_500;
const delay = (queue: TestQueue, more: Partial<Delay> = {}) =>
  moveToDelayed(
    used.store,
    queue.keys,
    { jobId: '1', token: 't1', until: { delayMs: 1_500 }, skipAttempt: false, ...more },
    NOW,
  );

describe('moveToDelayed', () => {
  describe('moves', () => {
    it('an active job to delayed and counts the attempt', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ atm: 1, priority: 3 }, { delayed: { x: DUE * 4096 } }));

      const delayed = await delay(queue);

      expect(delayed).toEqual({
        branch: 'delayed',
        attemptsMade: 2,
        retryDelayMs: 1_500,
        next: { kind: 'idle' },
      });
      expect(await queue.read()).toEqual({
        delayed: [
          ['x', DUE * 4096],
          ['1', DUE * 4096 + 1],
        ],
        1: jobHash({ ats: 1, atm: 2, priority: 3, delay: 1_500 }),
        meta: META,
        marker: [['1', DUE]],
        events: [{ event: 'delayed', jobId: '1', delay: `${DUE}` }],
      });
    });

    it('without an attempt when asked', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ atm: 1 }));
      expect(await delay(queue, { skipAttempt: true })).toMatchObject({ attemptsMade: 1 });
      expect(await queue.read()).toMatchObject({ 1: { atm: '1' } });
    });

    it('until an instant, which may have passed', async () => {
      const queue = used.queue();
      await queue.seed(activeJob());
      expect(await delay(queue, { until: { dueAt: NOW + 70 } })).toMatchObject({
        retryDelayMs: 70,
      });
      expect(await queue.read()).toMatchObject({ delayed: [['1', (NOW + 70) * 4096]] });
      await queue.seed(activeJob());
      expect(await delay(queue, { until: { dueAt: NOW - 70 } })).toMatchObject({ retryDelayMs: 0 });
      expect(await queue.read()).toMatchObject({ delayed: [['1', NOW * 4096]] });
    });

    it('and fetches the next job', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { wait: ['2'] }));
      await queue.seed({ jobs: { 2: {} } });

      const delayed = await delay(queue, { fetchNext: { token: 't2', lockDuration: 60_000 } });

      expect(delayed).toMatchObject({ branch: 'delayed', next: { kind: 'job', job: { id: '2' } } });
      const dump = await queue.read();
      expect(dump).toMatchObject({ active: ['2'], '2:lock': 't2', delayed: [['1', DUE * 4096]] });
      // Whoever got a job looks again after it: no due marker is needed.
      expect(dump.marker).toEqual([['0', 0]]);
      expect(eventLines(dump)).toEqual([
        `event=delayed jobId=1 delay=${DUE}`,
        'event=active jobId=2 prev=waiting',
      ]);
    });

    it('and says when the next is due if it finds none', async () => {
      const queue = used.queue();
      await queue.seed(activeJob());
      const fetchNext = { token: 't2', lockDuration: 60_000 };
      const delayed = await delay(queue, { fetchNext });
      expect(delayed.next).toEqual({ kind: 'idle', nextDueAt: DUE });
      expect((await queue.read()).marker).toEqual([['1', DUE]]);
    });

    it('and may get the very job back when its delay is 0', async () => {
      const queue = used.queue();
      await queue.seed(activeJob());
      const fetchNext = { token: 't2', lockDuration: 60_000 };
      const delayed = await delay(queue, { until: { delayMs: 0 }, fetchNext });
      expect(delayed.next).toMatchObject({ kind: 'job', job: { id: '1', attemptsStarted: 2 } });
    });
  });

  itRejectsForeignLeases(used, (queue, jobId, token) =>
    delay(queue, { jobId, token, fetchNext: { token: 't2', lockDuration: 1_000 } }),
  );

  describe('wakes', () => {
    it.each([
      ['a slot that the global concurrency had closed', { concurrency: 2 }, true],
      ['nobody while others keep it closed', { concurrency: 1 }, false],
      ['nobody in a paused queue', { paused: 1, concurrency: 2 }, false],
      ['nobody without a global concurrency', {}, false],
    ])('%s', async (_, gate, wakes) => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { active: ['1', 'other'], wait: ['2'] }));
      await queue.seed({ meta: { ...META, ...gate } });
      await delay(queue);
      const due = ['1', DUE];
      expect((await queue.read()).marker).toEqual(wakes ? [['0', 0], due] : [due]);
    });
  });

  it('announces delayed with the instant', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await delay(queue);
    expect(eventLines(await queue.read())).toEqual([`event=delayed jobId=1 delay=${DUE}`]);
  });

  itKeepsReceipts(used, {
    seed: activeJob({ atm: 1 }),
    call: (queue, receipt) => delay(queue, { receipt }),
    answer: '"delayed",2,1500',
    again: endedBefore,
  });

  it('writes progress and log rows in the same step, once', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ opts: { kl: 1 } }));
    const notes = { progress: '5', logs: ['a', 'b'], receipt: sessionReceipt(queue) };
    await delay(queue, notes);
    await delay(queue, notes);
    const dump = await queue.read();
    expect(dump).toMatchObject({ 1: { progress: '5' }, '1:logs': ['b'] });
    expect(eventLines(dump)[0]).toBe('event=progress jobId=1 data=5');
    expect(eventLines(dump)).toHaveLength(2);
  });
});
