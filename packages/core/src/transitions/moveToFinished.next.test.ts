import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { activeJob } from '../../test/lease-rejections.js';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import type { FinishBranch } from '../outcomes.js';
import { type FinishOptions, moveToFinished } from './moveToFinished.js';

const used = useStore();

/** Each way a run can end, by the branch that it takes. */
const BRANCHES: readonly [
  branch: FinishBranch,
  job: Record<string, unknown>,
  target: 'completed' | 'failed',
][] = [
  ['completed', {}, 'completed'],
  ['failed', {}, 'failed'],
  ['waiting', { opts: { attempts: 2 } }, 'failed'],
  ['prioritized', { opts: { attempts: 2 }, priority: 3 }, 'failed'],
  ['delayed', { opts: { attempts: 2, backoff: { type: 'fixed', delay: 9_000 } } }, 'failed'],
];

const finish = (
  queue: TestQueue,
  target: 'completed' | 'failed',
  options: Partial<FinishOptions> = {},
) =>
  moveToFinished(
    used.store,
    queue.keys,
    {
      jobId: '1',
      target,
      value: '1',
      fetchNext: true,
      options: {
        token: 't1',
        nextToken: 't2',
        lockDuration: 60_000,
        name: 'w',
        retry: { mode: 'DEFAULT' },
        ...options,
      },
    },
    NOW,
  );

describe('moveToFinished', () => {
  describe.each(BRANCHES)('fetches the next job when the branch is %s', (branch, job, target) => {
    it('from wait, locked with the next token', async () => {
      const queue = used.queue();
      await queue.seed(activeJob(job, { wait: ['3', '2'] }));
      await queue.seed({ jobs: { 2: { name: 'next' }, 3: {} } });

      const finished = await finish(queue, target);

      expect(finished).toMatchObject({
        branch,
        attemptsMade: 1,
        next: { kind: 'job', job: { id: '2', name: 'next', processedBy: 'w' } },
      });
      const dump = await queue.read();
      expect(dump).toMatchObject({
        active: ['2'],
        '2:lock': 't2',
        2: jobHash({ name: 'next', ats: 1, processedOn: NOW, pb: 'w' }),
      });
      expect(dump).not.toHaveProperty('1:lock');
      expect(dump).not.toHaveProperty('stalled');
      expect((dump.marker as [string, number][])[0]).toEqual(['0', 0]);
      expect(eventLines(dump).at(-1)).toBe('event=active jobId=2 prev=waiting');
      expect((await queue.readTtls())['2:lock']).toBeGreaterThan(50_000);
    });

    it('passing over a ghost', async () => {
      const queue = used.queue();
      await queue.seed(activeJob(job, { wait: ['2', 'ghost'] }));
      await queue.seed({ jobs: { 2: {} } });
      expect(await finish(queue, target)).toMatchObject({ branch, next: { job: { id: '2' } } });
    });

    it('promoting due jobs first', async () => {
      const queue = used.queue();
      await queue.seed(activeJob(job, { delayed: { 2: 4096 } }));
      await queue.seed({ jobs: { 2: { delay: 5 } } });
      const finished = await finish(queue, target);
      // A job that waits again stands behind nothing but is pushed to the back first.
      const expected = branch === 'waiting' ? '1' : '2';
      expect(finished).toMatchObject({ branch, next: { kind: 'job', job: { id: expected } } });
    });

    it('but none while the gate is closed', async () => {
      const queue = used.queue();
      await queue.seed(activeJob(job, { wait: ['2'], meta: { ...META, paused: 1 } }));
      await queue.seed({ jobs: { 2: {} } });
      const finished = await finish(queue, target);
      expect(finished).toMatchObject({ branch, next: { kind: 'idle' } });
      const dump = await queue.read();
      expect(dump).not.toHaveProperty('active');
      expect(dump.wait).toContain('2');
    });

    it('but none while the rate limit is reached', async () => {
      const queue = used.queue();
      await queue.seed(activeJob(job, { wait: ['2'], limiter: 1 }));
      await queue.seed({ jobs: { 2: {} }, ttls: { limiter: 60_000 } });
      const limiter = { max: 1, duration: 60_000 };
      const finished = await finish(queue, target, { limiter });
      expect(finished).toMatchObject({ branch, next: { kind: 'limited' } });
      expect(await queue.read()).not.toHaveProperty('active');
    });
  });

  it('locks the next job with the same token when none is given for it', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({}, { wait: ['2'] }));
    await queue.seed({ jobs: { 2: {} } });
    await moveToFinished(
      used.store,
      queue.keys,
      {
        jobId: '1',
        target: 'completed',
        value: '1',
        fetchNext: true,
        options: { token: 't1' },
      },
      NOW,
    );
    expect(await queue.read()).toMatchObject({ '2:lock': 't1' });
    expect((await queue.readTtls())['2:lock']).toBeGreaterThan(25_000);
  });

  it('fetches the very job that waits again when it is the only one', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ opts: { attempts: 2 } }));
    expect(await finish(queue, 'failed')).toMatchObject({
      branch: 'waiting',
      next: { kind: 'job', job: { id: '1', attemptsMade: 1, attemptsStarted: 2 } },
    });
    expect(await queue.read()).toMatchObject({ active: ['1'], '1:lock': 't2' });
  });

  it('says nothing of a next job that it was not asked for', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({}, { wait: ['2'], delayed: { 3: 4096 } }));
    const finished = await moveToFinished(
      used.store,
      queue.keys,
      { jobId: '1', target: 'completed', value: '1', fetchNext: false, options: { token: 't1' } },
      NOW,
    );
    expect(finished.next).toEqual({ kind: 'idle' });
    expect(await queue.read()).toMatchObject({ wait: ['2'], delayed: [['3', 4096]] });
  });
});
