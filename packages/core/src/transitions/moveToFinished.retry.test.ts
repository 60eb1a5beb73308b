import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { activeJob } from '../../test/lease-rejections.js';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { type FinishOptions, moveToFinished } from './moveToFinished.js';

const used = useStore();
type RetryOptions = NonNullable<FinishOptions['retry']>;

const fail = (queue: TestQueue, retry: Partial<RetryOptions> = {}) =>
  moveToFinished(
    used.store,
    queue.keys,
    {
      jobId: '1',
      target: 'failed',
      value: 'boom',
      fetchNext: false,
      options: { token: 't1', retry: { mode: 'DEFAULT', ...retry } },
    },
    NOW,
  );

/** The wait before the next attempt of a job with these options. */
async function delayOf(job: Record<string, unknown>, retry: Partial<RetryOptions> = {}) {
  const queue = used.queue();
  await queue.seed(activeJob(job));
  const { branch, retryDelayMs } = await fail(queue, retry);
  return branch === 'delayed' ? retryDelayMs : branch;
}

describe('moveToFinished with retry', () => {
  describe('moves', () => {
    it('a failure with attempts left to the back of wait', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ atm: 1, opts: { attempts: 3 } }, { wait: ['3', '2'] }));

      const finished = await fail(queue);

      expect(finished).toEqual({
        branch: 'waiting',
        attemptsMade: 2,
        retryDelayMs: 0,
        next: { kind: 'idle' },
      });
      expect(await queue.read()).toEqual({
        wait: ['1', '3', '2'],
        1: jobHash({ opts: { attempts: 3 }, ats: 1, atm: 2, failedReason: 'boom' }),
        meta: META,
        marker: [['0', 0]],
        events: [{ event: 'waiting', jobId: '1', prev: 'active' }],
      });
    });

    it('a LIFO job to the front of wait', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ opts: { attempts: 3, lifo: true } }, { wait: ['3', '2'] }));
      expect(await fail(queue)).toMatchObject({ branch: 'waiting' });
      expect((await queue.read()).wait).toEqual(['3', '2', '1']);
    });

    it('a job with a priority back to its class', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ priority: 2, opts: { attempts: 3, lifo: true } }, { pc: 6 }));
      expect(await fail(queue)).toMatchObject({ branch: 'prioritized' });
      expect(await queue.read()).toMatchObject({ prioritized: [['1', 2 * 2 ** 32 + 7]], pc: '7' });
    });

    it('a job with a backoff to delayed', async () => {
      const queue = used.queue();
      const opts = { attempts: 3, backoff: { type: 'fixed', delay: 1_500 } };
      const due = NOW + 1_500;
      await queue.seed(activeJob({ opts, priority: 4 }, { delayed: { x: due * 4096 } }));

      const finished = await fail(queue);

      expect(finished).toMatchObject({ branch: 'delayed', attemptsMade: 1, retryDelayMs: 1_500 });
      expect(await queue.read()).toEqual({
        delayed: [
          ['x', due * 4096],
          ['1', due * 4096 + 1],
        ],
        1: jobHash({ opts, priority: 4, ats: 1, atm: 1, failedReason: 'boom', delay: 1_500 }),
        meta: META,
        marker: [['1', due]],
        events: [{ event: 'delayed', jobId: '1', delay: `${due}` }],
      });
    });

    it('a job to failed when its attempts are used up', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ atm: 2, opts: { attempts: 3 } }, { wait: ['2'] }));
      expect(await fail(queue)).toMatchObject({ branch: 'failed', attemptsMade: 3 });
      expect(await queue.read()).toMatchObject({ failed: [['1', NOW]], wait: ['2'] });
      expect(eventLines(await queue.read())).toEqual([
        'event=failed jobId=1 failedReason=boom prev=active',
        'event=retries-exhausted jobId=1 attemptsMade=3',
      ]);
    });

    it('a job to failed when its worker says never, without calling it exhausted', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ opts: { attempts: 3 } }, { wait: ['2'] }));
      expect(await fail(queue, { mode: 'NEVER' })).toMatchObject({ branch: 'failed' });
      expect(eventLines(await queue.read())).toEqual([
        'event=failed jobId=1 failedReason=boom prev=active',
      ]);
    });

    it('a job to failed when nobody knows its backoff, and says so', async () => {
      const queue = used.queue();
      const backoff = { type: 'tides', delay: 5 };
      await queue.seed(activeJob({ opts: { attempts: 3, backoff } }, { wait: ['2'] }));
      const problem = 'unknown backoff tides';
      expect(await fail(queue)).toMatchObject({ branch: 'failed', attemptsMade: 1, problem });
      const failedReason = 'boom (unknown backoff tides)';
      expect(await queue.read()).toMatchObject({
        1: { failedReason },
        events: [{ event: 'failed', failedReason }],
      });
    });

    it('a completed job never back, whatever retry says', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ opts: { attempts: 3 } }));
      const finished = await moveToFinished(
        used.store,
        queue.keys,
        {
          jobId: '1',
          target: 'completed',
          value: '1',
          fetchNext: false,
          options: { token: 't1', retry: { mode: 'DEFAULT', delay: 5 } },
        },
        NOW,
      );
      expect(finished.branch).toBe('completed');
    });
  });

  describe('waits', () => {
    type Options = [opts: Record<string, unknown>, atm: number];
    const fixed = { type: 'fixed', delay: 1_000 };
    const exponential = { type: 'exponential', delay: 1_000 };

    it.each<[string, Options, Partial<RetryOptions>, number | string]>([
      ['fixed', [{ backoff: fixed }, 5], {}, 1_000],
      ['a bare number', [{ backoff: 700 }, 0], {}, 700],
      ['no backoff', [{}, 0], {}, 'waiting'],
      ['no delay', [{ backoff: { type: 'fixed' } }, 0], {}, 'waiting'],
      ['exponential, first', [{ backoff: exponential }, 0], {}, 1_000],
      ['exponential, fourth', [{ backoff: exponential }, 3], {}, 8_000],
      ['exponential with a factor', [{ backoff: { ...exponential, factor: 3 } }, 2], {}, 9_000],
      ['jitter at 0', [{ backoff: { ...fixed, jitter: 0.5 } }, 0], { rand: 0 }, 500],
      ['jitter at almost 1', [{ backoff: { ...fixed, jitter: 0.5 } }, 0], { rand: 0.999_999 }, 999],
      ['jitter at 1', [{ backoff: { ...fixed, jitter: 0.5 } }, 0], { rand: 1 }, 1_000],
      ['full jitter at 0', [{ backoff: { ...fixed, jitter: 1 } }, 0], { rand: 0 }, 'waiting'],
      [
        'jitter of exponential',
        [{ backoff: { ...exponential, jitter: 1 } }, 2],
        { rand: 0.5 },
        2_000,
      ],
      ['the cap of 24 h', [{ backoff: exponential }, 59], {}, 86_400_000],
      ['a far overflow', [{ backoff: exponential }, 5_000], {}, 86_400_000],
      ["the caller's cap", [{ backoff: exponential }, 9], { maxDelay: 2_500 }, 2_500],
      ['an override', [{ backoff: fixed }, 0], { delay: 42 }, 42],
      ['an override of 0', [{ backoff: fixed }, 0], { delay: 0 }, 'waiting'],
      ['an override over the cap', [{ backoff: fixed }, 0], { delay: 9e9 }, 86_400_000],
      ['an override of an unknown name', [{ backoff: { type: 'tides' } }, 0], { delay: 7 }, 7],
      ['a negative delay', [{ backoff: { type: 'fixed', delay: -5 } }, 0], {}, 'waiting'],
    ])('%s', async (_, [opts, atm], retry, expected) => {
      expect(await delayOf({ atm, opts: { attempts: 10_000, ...opts } }, retry)).toBe(expected);
    });

    it.each([
      ['steps, first', 0, { steps: [10, 20] }, 10],
      ['steps, last for ever', 7, { steps: [10, 20] }, 20],
      ['type and base', 2, { type: 'exponential', delay: 100 }, 400],
      ['its own maximum', 9, { type: 'exponential', delay: 100, max: 500 }, 500],
      ['jitter of steps', 0, { steps: [100], jitter: 1 }, 'waiting'],
      ['no steps at all', 0, { steps: [] }, 'waiting'],
    ])('by a name that the caller knows: %s', async (_, atm, tides, expected) => {
      const opts = { attempts: 100, backoff: { type: 'tides', delay: 1 } };
      expect(await delayOf({ atm, opts }, { backoffs: { tides }, rand: 0 })).toBe(expected);
    });

    it.each([
      ['options that are no JSON', 'nonsense', 'failed'],
      ['options that are no object', '7', 'failed'],
      ['attempts null', { attempts: null }, 'failed'],
      ['attempts NaN', '{"attempts":NaN}', 'failed'],
      ['backoff null', { attempts: 3, backoff: null }, 'waiting'],
      ['backoff without a type', { attempts: 3, backoff: { delay: 5 } }, 'failed'],
      ['delay null', { attempts: 3, backoff: { type: 'fixed', delay: null } }, 'waiting'],
      ['delay NaN', '{"attempts":3,"backoff":{"type":"fixed","delay":NaN}}', 'waiting'],
      [
        'steps of its own that are none',
        { attempts: 3, backoff: { type: 'fixed', delay: 5, steps: 5 } },
        5,
      ],
      ['jitter null', { attempts: 3, backoff: { type: 'fixed', delay: 5, jitter: null } }, 5],
      ['factor NaN', '{"attempts":3,"backoff":{"type":"exponential","delay":5,"factor":NaN}}', 5],
      ['a huge base', { attempts: 3, backoff: { type: 'exponential', delay: 1e300 } }, 86_400_000],
    ])('corrupt options: %s', async (_, opts, expected) => {
      expect(await delayOf({ opts })).toBe(expected);
    });

    it.each(['nan', 'inf', 'many', ''])(
      'a count of attempts that is "%s" counts as none',
      async (atm) => {
        const queue = used.queue();
        await queue.seed(activeJob({ atm, opts: { attempts: 3 } }));
        expect(await fail(queue)).toMatchObject({ branch: 'waiting', attemptsMade: 1 });
      },
    );

    it.each(['nan', 'inf', 'x'])('a priority that is "%s" counts as none', async (priority) => {
      const queue = used.queue();
      await queue.seed(activeJob({ priority, opts: { attempts: 3 } }));
      expect(await fail(queue)).toMatchObject({ branch: 'waiting' });
      expect((await queue.read()).wait).toEqual(['1']);
    });
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      const job = activeJob({ opts: { attempts: 3 } }, { active: ['1', 'other'] });
      await queue.seed({ ...job, meta: { ...META, ...meta } });
      await fail(queue);
      const { marker } = await queue.read();
      expect(marker ? { marker } : {}).toEqual(baseMarker(open));
    });
  });
});
