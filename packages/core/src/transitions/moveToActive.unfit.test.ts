import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { eventLines, META, NOW, useStore } from '../../test/use-store.js';
import { moveToActive } from './moveToActive.js';

const used = useStore();
const fetch = (queue: ReturnType<typeof used.queue>, token = 't1') =>
  moveToActive(used.store, queue.keys, { token, lockDuration: 30_000, maxMetricsSize: 10 }, NOW);

describe('moveToActive', () => {
  describe('passes over what cannot run', () => {
    it('drops and counts an id without a hash, and delivers the next', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1', 'ghost', 'ghost2'], meta: META, jobs: { 1: {} } });

      expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: '1' } });

      expect(await queue.read()).toEqual({
        active: ['1'],
        '1:lock': 't1',
        1: jobHash({ ats: 1, processedOn: NOW }),
        meta: META,
        'meta:counters:1': { withoutHash: '2' },
        marker: [['0', 0]],
        events: [{ event: 'active', jobId: '1', prev: 'waiting' }],
      });
    });

    it('drops and counts an id whose key is no hash', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['1', 'text'], text: 'a string', meta: META, jobs: { 1: {} } });
      expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: '1' } });
      expect(await queue.read()).toMatchObject({
        active: ['1'],
        text: 'a string',
        'meta:counters:1': { notAHash: '1' },
      });
    });

    it('does the same for a delayed and for a prioritized one', async () => {
      const queue = used.queue();
      await queue.seed({
        delayed: { ghost: 4096, text: 4097 },
        prioritized: { 1: 2 ** 33, gone: 2 ** 32 },
        text: 'a string',
        meta: META,
        jobs: { 1: { priority: 2 } },
      });
      expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: '1' } });
      const dump = await queue.read();
      expect(dump).toMatchObject({
        active: ['1'],
        'meta:counters:1': { withoutHash: '2', notAHash: '1' },
      });
      for (const key of ['wait', 'delayed', 'prioritized', 'ghost', 'gone'])
        expect(dump).not.toHaveProperty(key);
    });

    it('carries out a deferred failure with all its effects, and delivers the next', async () => {
      const queue = used.queue();
      const defa = 'child bull:q:c failed';
      await queue.seed({
        wait: ['2', '1'],
        meta: META,
        jobs: { 1: { defa, atm: 1, deid: 'd', opts: { attempts: 2 } }, 2: {} },
        'de:d': '1',
        limiter: 1,
        'metrics:failed': { count: 4, prevTS: NOW - 60_000, prevCount: 3 },
      });

      expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: '2' } });

      expect(await queue.read()).toEqual({
        active: ['2'],
        failed: [['1', NOW]],
        '2:lock': 't1',
        1: jobHash({
          atm: 2,
          deid: 'd',
          opts: { attempts: 2 },
          failedReason: defa,
          finishedOn: NOW,
        }),
        2: jobHash({ ats: 1, processedOn: NOW }),
        meta: META,
        limiter: '1',
        marker: [['0', 0]],
        'metrics:failed': { count: '5', prevTS: `${NOW}`, prevCount: '4' },
        'metrics:failed:data': ['1'],
        events: [
          { event: 'failed', jobId: '1', failedReason: defa, prev: 'active' },
          { event: 'retries-exhausted', jobId: '1', attemptsMade: '2' },
          { event: 'active', jobId: '2', prev: 'waiting' },
        ],
      });
    });

    it('passes a deferred failure on to the parent', async () => {
      const queue = used.queue();
      const parent = { id: 'p', queueKey: queue.base.slice(0, -1), fpof: true };
      await queue.seed({
        wait: ['c'],
        'waiting-children': { p: NOW },
        'p:dependencies': [queue.key('c')],
        meta: META,
        jobs: { p: { timestamp: 1 }, c: { defa: 'x', parentKey: queue.key('p'), parent } },
      });

      // The child fails, which frees and fails the parent in the same fetch.
      expect(await fetch(queue)).toEqual({ kind: 'idle' });

      const dump = await queue.read();
      expect(dump).toMatchObject({
        failed: [
          ['c', NOW],
          ['p', NOW],
        ],
        'p:unsuccessful': [[queue.key('c'), NOW]],
        p: { failedReason: `child ${queue.key('c')} failed`, atm: '1' },
      });
      expect(dump.p).not.toHaveProperty('defa');
      for (const key of ['wait', 'active', 'waiting-children', 'p:dependencies'])
        expect(dump).not.toHaveProperty(key);
    });

    it('fails a job without a name, whose hash is a stub', async () => {
      const queue = used.queue();
      await queue.seed({ wait: ['2', '1'], meta: META, jobs: { 2: {} } });
      await used.redis.client.hset(queue.key('1'), 'ats', 1);
      expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: '2' } });
      expect(await queue.read()).toMatchObject({
        failed: [['1', NOW]],
        1: { failedReason: 'job is corrupt: it has no name', atm: '1', finishedOn: `${NOW}` },
      });
    });

    it('delivers a job whose data and options are no JSON, and counts on from corrupt counters', async () => {
      const queue = used.queue();
      const numbers = { atm: 'many', ats: 'many', priority: 'x', timestamp: 'now' };
      const corrupt: Record<string, unknown> = { data: '{broken', opts: 'nonsense', ...numbers };
      await queue.seed({ wait: ['1'], meta: META, jobs: { 1: { ...corrupt } } });
      expect(await fetch(queue)).toMatchObject({
        kind: 'job',
        job: { data: Buffer.from('{broken'), attemptsMade: 0, attemptsStarted: 1, priority: 0 },
      });
    });

    it('at most 200 in one script, and wakes itself for the rest', async () => {
      const queue = used.queue();
      const ghosts = Array.from({ length: 250 }, (_, at) => `g${at}`);
      await queue.seed({ wait: ['1', ...ghosts], meta: META, jobs: { 1: {} } });
      expect(await fetch(queue)).toEqual({ kind: 'idle' });
      expect(await queue.read()).toMatchObject({
        marker: [['0', 0]],
        'meta:counters:1': { withoutHash: '200' },
      });
      expect(await fetch(queue)).toMatchObject({ job: { id: '1' } });
      expect(eventLines(await queue.read())).toEqual(['event=active jobId=1 prev=waiting']);
    });
  });

  describe('survives numbers that are none', () => {
    it.each(['nan', 'inf', '-inf', '1e400', '0x10', '-3', '1.5', ''])(
      'a due job with the priority "%s"',
      async (priority) => {
        const queue = used.queue();
        const job: Record<string, unknown> = { priority };
        await queue.seed({ delayed: { 1: 4096 }, meta: META, jobs: { 1: { ...job } } });
        expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: '1' } });
      },
    );

    it.each(['concurrency', 'max', 'duration', 'opts.maxLenEvents'])(
      'a field "%s" of meta that is no number',
      async (field) => {
        const queue = used.queue();
        await queue.seed({ wait: ['1'], delayed: { 2: 4096 }, meta: { [field]: 'many' } });
        await queue.seed({ jobs: { 1: {}, 2: {} } });
        expect(await fetch(queue)).toMatchObject({ kind: 'job', job: { id: '1' } });
      },
    );
  });
});
