import { jobHash, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { endedBefore, itKeepsReceipts } from '../../test/receipts.js';
import { eventLines, META, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { moveJobFromActiveToWait, type Release } from './moveJobFromActiveToWait.js';

const used = useStore();
const release = (queue: TestQueue, more: Partial<Release> = {}) =>
  moveJobFromActiveToWait(used.store, queue.keys, { jobId: '1', token: 't1', ...more });

describe('moveJobFromActiveToWait', () => {
  describe('moves', () => {
    it('an active job to where it runs next, with no attempt counted', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ atm: 1 }, { wait: ['3', '2'] }));
      expect(await release(queue)).toBe(0);
      expect(await queue.read()).toEqual({
        wait: ['3', '2', '1'],
        1: jobHash({ ats: 1, atm: 1 }),
        meta: META,
        marker: [['0', 0]],
        events: [{ event: 'waiting', jobId: '1', prev: 'active' }],
      });
    });

    it('or to the back', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { wait: ['3', '2'] }));
      await release(queue, { toBack: true });
      expect((await queue.read()).wait).toEqual(['1', '3', '2']);
    });

    it.each([
      [false, 3 * 2 ** 32, undefined],
      [true, 3 * 2 ** 32 + 8, '8'],
    ])('a job with a priority within its class, to the back: %s', async (toBack, score, pc) => {
      const queue = used.queue();
      await queue.seed(activeJob({ priority: 3 }, { pc: 7 }));
      await release(queue, { toBack });
      expect(await queue.read()).toMatchObject({
        prioritized: [['1', score]],
        pc: pc ?? '7',
        marker: [['0', 0]],
      });
    });

    it('and limits the whole queue when asked', async () => {
      const queue = used.queue();
      await queue.seed(activeJob());
      const ttl = await release(queue, { limitMs: 60_000 });
      expect(ttl).toBeGreaterThan(50_000);
      expect(await queue.read()).toMatchObject({ limiter: '9007199254740991' });
      expect((await queue.readTtls()).limiter).toBeGreaterThan(50_000);
    });

    it('and tells of a limit that stands', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { limiter: 3, ttls: { limiter: 60_000 } }));
      const ttl = await release(queue);
      expect(ttl).toBeGreaterThan(50_000);
      expect(await queue.read()).toMatchObject({ limiter: '3' });
    });
  });

  itRejectsForeignLeases(used, (queue, jobId, token) =>
    release(queue, { jobId, token, limitMs: 60_000 }),
  );

  it.each([
    ['goes back whose lock nobody has renewed', 0, undefined],
    ['goes back whose lock was set by a script that took its time', 200, undefined],
    ['stays whose lock somebody else has renewed', 5_000, 'LOCK_NOT_OWNED'],
  ])('a job %s', async (_what, renewedMs, reason) => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await used.redis.client.pexpire(queue.key('1:lock'), 30_000 + renewedMs);
    const [seconds, micros] = (await used.redis.client.call('TIME')) as [string, string];
    const lapsesAt = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000) + 30_000;
    if (reason) expect(await refusal(queue, () => release(queue, { lapsesAt }))).toBe(reason);
    else expect(await release(queue, { lapsesAt })).toBe(0);
  });

  describe('of a run that no worker has begun', () => {
    const run = { processedOn: 77, ats: 1 };

    it('after its lock has lapsed', async () => {
      const queue = used.queue();
      await queue.seed(activeJob(run, { locks: {} }));
      expect(await release(queue, { unbegunRun: '77' })).toBe(0);
      expect(await queue.read()).toEqual({
        wait: ['1'],
        1: jobHash(run),
        meta: META,
        marker: [['0', 0]],
        events: [{ event: 'waiting', jobId: '1', prev: 'active' }],
      });
    });

    it.each([
      [1, {}],
      [2, { stc: '1' }],
    ])('and takes back once what a sweep has counted meanwhile: %s', async (stc, left) => {
      const queue = used.queue();
      await queue.seed({ wait: ['1'], jobs: { 1: { ...run, stc } } });
      const call = () => release(queue, { unbegunRun: '77' });
      expect(await call()).toBe(0);
      expect(await queue.read()).toEqual({
        wait: ['1'],
        1: { ...jobHash(run), ...left, 'echomq.unbegun': '77' },
      });
      expect(await refusal(queue, call)).toBe('JOB_NOT_IN_STATE');
    });

    it.each([
      ['another holds it', { active: ['1'], locks: { 1: 'other' } }],
      ['another lost it', { active: ['1'] }],
      ['another gave it back', { wait: ['1'] }],
    ] as const)('and takes back once what a sweep has counted for it: %s', async (_how, places) => {
      const queue = used.queue();
      const later = { processedOn: 99, ats: 2, stc: 1, 'echomq.stalled': '77' };
      await queue.seed({ ...places, jobs: { 1: later } } as QueueState);
      const before = await queue.read();
      const call = (unbegunRun: string) => () => release(queue, { unbegunRun });
      expect(['LOCK_LOST', 'LOCK_NOT_OWNED']).toContain(await refusal(queue, call('76')));
      expect(await call('77')()).toBe(0);
      expect(await queue.read()).toEqual({ ...before, 1: jobHash({ processedOn: 99, ats: 2 }) });
      expect(['LOCK_LOST', 'LOCK_NOT_OWNED']).toContain(await refusal(queue, call('77')));
    });

    it.each([
      ['the lock is another’s', activeJob(run, { locks: { 1: 'other' } }), '77', 'LOCK_NOT_OWNED'],
      ['another run has begun since', activeJob(run, { locks: {} }), '76', 'LOCK_LOST'],
      [
        'the job has ended',
        { failed: [['1', 5]], jobs: { 1: { ...run, stc: 2, finishedOn: 5 } } },
        '77',
        'JOB_NOT_IN_STATE',
      ],
    ] as const)('not where %s', async (_name, state, unbegunRun, reason) => {
      const queue = used.queue();
      await queue.seed(state as QueueState);
      expect(await refusal(queue, () => release(queue, { unbegunRun }))).toBe(reason);
    });
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      const job = activeJob({}, { active: ['1', 'other'] });
      await queue.seed({ ...job, meta: { ...META, ...meta } });
      await release(queue);
      const { marker } = await queue.read();
      expect(marker ? { marker } : {}).toEqual(baseMarker(open));
    });
  });

  it('announces waiting after active', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await release(queue);
    expect(eventLines(await queue.read())).toEqual(['event=waiting jobId=1 prev=active']);
  });

  describe.each([
    [0, 'waiting'],
    [3, 'prioritized'],
  ])('of a job of priority %s', (priority, branch) => {
    itKeepsReceipts(used, {
      seed: activeJob({ atm: 1, priority }),
      call: (queue, receipt) => release(queue, { receipt }),
      answer: `"${branch}",1,0`,
      again: endedBefore,
    });
  });

  it('writes progress and log rows in the same step', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ opts: { kl: 1 } }));
    await release(queue, { progress: '5', logs: ['a', 'b'] });
    expect(await queue.read()).toMatchObject({ 1: { progress: '5' }, '1:logs': ['b'] });
  });

  describe('unless the answer that brought it was given again', () => {
    const key = 'meta:req:r';
    const guarded = async (field: Record<string, string>, replays: number) => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { [key]: { other: 'x', ...field } }));
      const receipt = queue.keys.requestReceipts('r');
      const call = () => release(queue, { unlessReplayed: { key: receipt, field: '0', replays } });
      return { queue, call };
    };

    it('releases where it was given as often as known, or the receipt is gone', async () => {
      for (const [field, known] of [
        [{ 0: '[1,"d",2,"completed",1,0,"1","t1"]' }, 2],
        [{}, 0],
      ] as const) {
        const { queue, call } = await guarded(field, known);
        expect(await call()).toBe(0);
        expect((await queue.read()).wait).toEqual(['1']);
      }
    });

    it('rejects LOCK_NOT_OWNED where it was given more often, and writes nothing', async () => {
      const { queue, call } = await guarded({ 0: '[1,"d",1,"completed",1,0,"1","t1"]' }, 0);
      expect(await refusal(queue, call)).toBe('LOCK_NOT_OWNED');
    });
  });
});
