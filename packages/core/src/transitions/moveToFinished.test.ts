import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { endedBefore, itKeepsReceipts } from '../../test/receipts.js';
import { eventLines, META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { type Finish, moveToFinished } from './moveToFinished.js';

const used = useStore();
const finish = (queue: TestQueue, more: Partial<Finish> = {}) =>
  moveToFinished(
    used.store,
    queue.keys,
    {
      jobId: '1',
      target: 'completed',
      value: '{"ok":true}',
      fetchNext: false,
      options: { token: 't1' },
      ...more,
    },
    NOW,
  );

describe('moveToFinished', () => {
  describe('moves', () => {
    it('a job to completed, with its result', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ atm: 1, defa: undefined }, { active: ['1', '0'] }));

      const finished = await finish(queue);

      expect(finished).toEqual({
        branch: 'completed',
        attemptsMade: 2,
        retryDelayMs: 0,
        next: { kind: 'idle' },
      });
      expect(await queue.read()).toEqual({
        active: ['0'],
        completed: [['1', NOW]],
        1: jobHash({ ats: 1, atm: 2, returnvalue: '{"ok":true}', finishedOn: NOW }),
        meta: META,
        events: [{ event: 'completed', jobId: '1', returnvalue: '{"ok":true}', prev: 'active' }],
      });
    });

    it('a job to failed, with its reason', async () => {
      const queue = used.queue();
      const defa = 'child x failed';
      await queue.seed(activeJob({ defa, opts: { attempts: 5 } }, { active: ['1', '0'] }));

      const finished = await finish(queue, { target: 'failed', value: 'boom "x"' });

      expect(finished).toMatchObject({ branch: 'failed', attemptsMade: 1, retryDelayMs: 0 });
      expect(await queue.read()).toEqual({
        active: ['0'],
        failed: [['1', NOW]],
        1: jobHash({
          opts: { attempts: 5 },
          ats: 1,
          atm: 1,
          failedReason: 'boom "x"',
          finishedOn: NOW,
        }),
        meta: META,
        events: [{ event: 'failed', jobId: '1', failedReason: 'boom "x"', prev: 'active' }],
      });
    });

    it('keeps a result byte for byte', async () => {
      const queue = used.queue();
      await queue.seed(activeJob());
      const value = Buffer.from([0x22, 0xff, 0, 0x22]);
      await finish(queue, { value });
      const dump = await queue.read({ encoding: 'latin1' });
      expect(dump['1']).toMatchObject({ returnvalue: value.toString('latin1') });
    });

    it('stores progress, logs and stack in the same step', async () => {
      const queue = used.queue();
      await queue.seed(
        activeJob(
          { opts: { kl: 3, stackTraceLimit: 2 }, stacktrace: ['s1', 's2'] },
          { '1:logs': ['l1', 'l2'] },
        ),
      );

      await finish(queue, {
        target: 'failed',
        value: 'boom',
        options: {
          token: 't1',
          progress: Buffer.from('{"at":"100%"}'),
          logs: ['l3', 'l4'],
          stack: 's3\n  at /x.js',
          stackLimit: 10,
        },
      });

      const dump = await queue.read();
      expect(dump['1:logs']).toEqual(['l2', 'l3', 'l4']);
      const job = dump['1'] as Record<string, string>;
      expect(job.progress).toBe('{"at":"100%"}');
      expect(JSON.parse(job.stacktrace ?? '')).toEqual(['s2', 's3\n  at /x.js']);
      expect(eventLines(dump)[0]).toBe('event=progress jobId=1 data={"at":"100%"}');
    });

    it.each([
      ['corrupt ones begin anew', { stacktrace: '{broken' }, 10, ['s3']],
      ['a limit of 0 keeps none', { stacktrace: ['s1'] }, 0, []],
      [
        "the job's own limit cannot raise the caller's",
        { opts: { stackTraceLimit: 99 } },
        1,
        ['s3'],
      ],
    ])('stacks: %s', async (_, job, stackLimit, kept) => {
      const queue = used.queue();
      await queue.seed(activeJob(job));
      const options = { token: 't1', stack: 's3', stackLimit };
      await finish(queue, { target: 'failed', value: 'x', options });
      const { stacktrace } = (await queue.read())['1'] as Record<string, string>;
      expect(JSON.parse(stacktrace ?? '')).toEqual(kept);
    });
  });

  itRejectsForeignLeases(used, (queue, jobId, token) =>
    finish(queue, { jobId, fetchNext: true, options: { token, progress: '1', logs: ['l'] } }),
  );

  describe('rejects, and writes nothing', () => {
    const waiting = { wait: ['2'], delayed: { 3: 4096 } };

    it('JOB_HAS_PENDING_CHILDREN', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { ...waiting, '1:dependencies': ['bull:q:c'] }));
      const call = () => finish(queue, { fetchNext: true });
      expect(await refusal(queue, call)).toBe('JOB_HAS_PENDING_CHILDREN');
    });

    it('JOB_HAS_FAILED_CHILDREN', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { ...waiting, '1:unsuccessful': { 'bull:q:c': 1 } }));
      const call = () => finish(queue, { fetchNext: true });
      expect(await refusal(queue, call)).toBe('JOB_HAS_FAILED_CHILDREN');
    });

    it('but fails a job whatever its children do', async () => {
      const queue = used.queue();
      const children = { '1:dependencies': ['bull:q:c'], '1:unsuccessful': { 'bull:q:d': 1 } };
      await queue.seed(activeJob({}, children));
      expect(await finish(queue, { target: 'failed' })).toMatchObject({ branch: 'failed' });
    });

    it('the lease rejections hold for failures with a retry as well', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ opts: { attempts: 3 } }, waiting));
      const options = { token: 't9', retry: { mode: 'DEFAULT' as const } };
      const call = () => finish(queue, { target: 'failed', fetchNext: true, options });
      expect(await refusal(queue, call)).toBe('LOCK_NOT_OWNED');
    });
  });

  describe('wakes', () => {
    it.each([
      ['a slot that was closed by the global concurrency', { concurrency: 2 }, true],
      ['nobody while others keep it closed', { concurrency: 1 }, false],
      ['nobody in a paused queue', { concurrency: 2, paused: 1 }, false],
      ['nobody without a global concurrency: nobody slept', {}, false],
    ])('%s', async (_, gate, wakes) => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { active: ['1', 'other'], wait: ['2'] }));
      await queue.seed({ meta: { ...META, ...gate } });
      await finish(queue);
      expect('marker' in (await queue.read())).toBe(wakes);
    });

    it('nobody when nothing waits', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { meta: { ...META, concurrency: 1 } }));
      await finish(queue);
      expect(await queue.read()).not.toHaveProperty('marker');
    });
  });

  describe('announces', () => {
    it('completed, then drained when nothing is left', async () => {
      const queue = used.queue();
      await queue.seed(activeJob());
      await finish(queue);
      expect(eventLines(await queue.read())).toEqual([
        'event=completed jobId=1 returnvalue={"ok":true} prev=active',
        'event=drained',
      ]);
    });

    it.each([
      ['waits', { wait: ['2'] }],
      ['is prioritized', { prioritized: { 2: 5 } }],
      ['is active', { active: ['1', '2'] }],
    ])('no drained while a job %s', async (_, rest) => {
      const queue = used.queue();
      await queue.seed(activeJob({}, rest));
      await finish(queue);
      expect(eventLines(await queue.read())).toHaveLength(1);
    });

    it('drained with delayed jobs left when none was asked for, not when one is due later', async () => {
      const later = { delayed: { 9: (NOW + 5_000) * 4096 } };
      const [plain, fetching] = [used.queue(), used.queue()];
      for (const queue of [plain, fetching]) await queue.seed(activeJob({}, later));
      await finish(plain);
      const finished = await finish(fetching, { fetchNext: true });
      expect(finished.next).toEqual({ kind: 'idle', nextDueAt: NOW + 5_000 });
      expect(eventLines(await plain.read())).toHaveLength(2);
      expect(eventLines(await fetching.read())).toHaveLength(1);
    });

    it('failed, then retries-exhausted with the attempts made', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ atm: 2, opts: { attempts: 3 } }, { wait: ['2'] }));
      await finish(queue, { target: 'failed', value: 'boom' });
      expect(eventLines(await queue.read())).toEqual([
        'event=failed jobId=1 failedReason=boom prev=active',
        'event=retries-exhausted jobId=1 attemptsMade=3',
      ]);
    });

    it('retries-exhausted for a job of one attempt too', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { wait: ['2'] }));
      await finish(queue, { target: 'failed', value: 'boom' });
      expect(eventLines(await queue.read())).toHaveLength(2);
    });

    it('in a stream that it trims, also where meta names no proper limit', async () => {
      const queue = used.queue();
      const many = Array.from({ length: 300 }, () => ({ event: 'old' }));
      await queue.seed(activeJob({}, { events: many, meta: { 'opts.maxLenEvents': 10 } }));
      await finish(queue);
      expect(eventLines(await queue.read()).length).toBeLessThanOrEqual(202);
      await queue.seed(activeJob({}, { meta: { 'opts.maxLenEvents': 'many' } }));
      await finish(queue);
      expect(await queue.read()).toMatchObject({ completed: [['1', NOW]] });
    });
  });

  itKeepsReceipts(used, {
    seed: activeJob({ atm: 1 }, { wait: ['2'] }),
    call: (queue, receipt) => finish(queue, { options: { token: 't1', receipt } }),
    answer: '"completed",2,0',
    again: endedBefore,
  });
});
