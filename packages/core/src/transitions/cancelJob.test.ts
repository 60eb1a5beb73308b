import { jobHash, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { activeJob } from '../../test/lease-rejections.js';
import { eventLines, META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { type Cancellation, cancelJob } from './cancelJob.js';

const used = useStore();
const cancel = (queue: TestQueue, more: Partial<Cancellation> = {}) =>
  cancelJob(used.store, queue.keys, { jobId: '1', ...more }, NOW);

/** How a job ends that never ran. */
const unrun = (job: Record<string, unknown> = {}) =>
  jobHash({ ...job, atm: 0, failedReason: 'cancelled', finishedOn: NOW });

describe('cancelJob', () => {
  describe('moves to failed, at once, a job out of', () => {
    it.each<[location: string, prev: string, QueueState]>([
      ['wait', 'waiting', { wait: ['2', '1', '3'] }],
      ['paused', 'waiting', { paused: ['2', '1', '3'] }],
      ['prioritized', 'prioritized', { prioritized: { 1: 5, 2: 6 } }],
      ['delayed', 'delayed', { delayed: { 1: 5, 2: 6 } }],
      ['waiting-children', 'waiting-children', { 'waiting-children': { 1: 5, 2: 6 } }],
    ])('%s', async (location, prev, state) => {
      const queue = used.queue();
      const opts = { attempts: 5, backoff: 1_000 };
      await queue.seed({ ...state, meta: META, jobs: { 1: { opts } } });
      const before = await queue.read();

      expect(await cancel(queue)).toEqual({ kind: 'failed', location });

      const { [location]: left, ...after } = await queue.read();
      const { [location]: _, ...others } = before;
      expect(after).toEqual({
        ...others,
        1: unrun({ opts }),
        failed: [['1', NOW]],
        events: [{ event: 'failed', jobId: '1', failedReason: 'cancelled', prev }],
      });
      expect(JSON.stringify(left)).not.toContain('"1"');
      expect(JSON.stringify(left)).toContain('"2"');
    });

    it('active, when forced: its worker then finds the lease lost', async () => {
      const queue = used.queue();
      const opts = { attempts: 5 };
      await queue.seed(activeJob({ opts, processedOn: 5 }, { active: ['2', '1'] }));
      expect(await cancel(queue, { force: true })).toEqual({
        kind: 'failed',
        location: 'active',
        token: 't1',
      });
      const ran = { atm: 1, ats: 1, processedOn: 5, finishedOn: NOW };
      expect(await queue.read()).toEqual({
        active: ['2'],
        failed: [['1', NOW]],
        1: jobHash({ opts, failedReason: 'cancelled', ...ran }),
        meta: META,
        events: [{ event: 'failed', jobId: '1', failedReason: 'cancelled', prev: 'active' }],
      });
    });
  });

  describe('with all that a final failure does:', () => {
    it('retention, metrics, the deduplication id', async () => {
      const queue = used.queue();
      const opts = { removeOnFail: true };
      const state = { wait: ['1'], 'de:d': '1', 'metrics:failed': { count: 4, prevTS: NOW } };
      await queue.seed({ ...state, meta: META, jobs: { 1: { opts, deid: 'd' } } });
      await cancel(queue, { maxMetricsSize: 10 });
      const { events: _, ...after } = await queue.read();
      expect(after).toEqual({
        meta: META,
        'metrics:failed': { count: '5', prevTS: `${NOW}` },
      });
    });

    it("the parent's policy", async () => {
      const [children, parents] = [used.queue(), used.queue()];
      const parent = { id: 'p', queueKey: parents.base.slice(0, -1), fpof: true };
      const child = { parent, parentKey: parents.key('p') };
      await children.seed({ meta: META, delayed: { 1: 5 }, jobs: { 1: child } });
      const waits = { 'waiting-children': { p: 5 }, 'p:dependencies': [children.key('1')] };
      await parents.seed({ meta: META, jobs: { p: {} }, ...waits });
      await cancel(children);
      expect(await parents.read()).toMatchObject({
        wait: ['p'],
        p: { defa: `child ${children.key('1')} failed` },
      });
    });
  });

  describe('of a job that runs', () => {
    it('leaves the request for its holder and moves nothing', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ processedOn: 5 }));
      const before = await queue.read();
      const asked = { kind: 'asked', location: 'active', token: 't1' };
      expect(await cancel(queue)).toEqual(asked);
      expect(await cancel(queue, { ttlMs: 1_000 })).toEqual(asked);
      expect(await queue.read()).toEqual({
        ...before,
        1: jobHash({ ats: 1, processedOn: 5, 'echomq.cancel': '5' }),
        'meta:cancel:1': '1',
      });
      expect((await queue.readTtls())['meta:cancel:1']).toBeLessThanOrEqual(1_000);
    });

    it('whose lock has lapsed, the same, without a token', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { locks: {} }));
      expect(await cancel(queue)).toEqual({ kind: 'asked', location: 'active' });
      expect(await queue.read()).toMatchObject({ 1: { 'echomq.cancel': '' }, active: ['1'] });
    });
  });

  describe('rejects, and writes nothing', () => {
    it.each<[string, string, QueueState]>([
      ['JOB_NOT_FOUND', 'no such job', { wait: ['2'], jobs: { 2: {} } }],
      ['JOB_NOT_IN_STATE', 'it has completed', { completed: { 1: 5 }, jobs: { 1: {} } }],
      ['JOB_NOT_IN_STATE', 'it has failed', { failed: { 1: 5 }, jobs: { 1: {} } }],
      ['JOB_NOT_IN_STATE', 'it stands in no location', { wait: ['2'], jobs: { 1: {} } }],
    ])('%s: %s', async (reason, _, state) => {
      for (const force of [false, true]) {
        const queue = used.queue();
        await queue.seed({ meta: META, ...state });
        expect(await refusal(queue, () => cancel(queue, { force }))).toBe(reason);
      }
    });
  });

  describe('wakes', () => {
    it.each(GATES)('for the slot of an active job: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      const job = activeJob({}, { active: ['1', 'other'], wait: ['2'] });
      await queue.seed({ ...job, meta: { ...META, ...meta } });
      await cancel(queue, { force: true });
      const { marker } = await queue.read();
      const bounded = 'concurrency' in meta && open;
      expect(marker ? { marker } : {}).toEqual(baseMarker(bounded));
    });
  });

  describe('announces', () => {
    it('failed, and retries-exhausted only of a run', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { wait: ['2'] }));
      await queue.seed({ jobs: { 2: {} } });
      await cancel(queue, { jobId: '2' });
      await cancel(queue, { force: true });
      expect(eventLines(await queue.read())).toEqual([
        'event=failed jobId=2 failedReason=cancelled prev=waiting',
        'event=failed jobId=1 failedReason=cancelled prev=active',
        'event=retries-exhausted jobId=1 attemptsMade=1',
      ]);
    });

    it('to those who renew locks which job to look at', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { wait: ['2'] }));
      await queue.seed({ jobs: { 2: {} } });
      const listener = used.redis.client.duplicate();
      const heard: string[] = [];
      listener.on('message', (_channel: string, id: string) => heard.push(id));
      await listener.subscribe(queue.keys.cancelChannel);
      await cancel(queue, { jobId: '2' });
      await cancel(queue);
      await cancel(queue, { force: true });
      await listener.unsubscribe();
      listener.disconnect();
      expect(heard).toEqual(['1', '1']);
    });
  });
});
