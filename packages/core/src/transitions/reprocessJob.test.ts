import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { eventLines, META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { type Reprocess, reprocessJob } from './reprocessJob.js';

const used = useStore();
const again = (queue: TestQueue, more: Partial<Reprocess> = {}) =>
  reprocessJob(used.store, queue.keys, { jobId: '1', state: 'failed', ...more });
const ENDED = { atm: 3, ats: 4, stc: 1, processedOn: 1, finishedOn: 2 };
const failed = (job: Record<string, unknown> = {}) => ({
  meta: META,
  failed: { 1: NOW },
  jobs: { 1: { ...ENDED, failedReason: 'boom', stacktrace: ['s'], ...job } },
});

describe('reprocessJob', () => {
  describe('moves', () => {
    it('a failed job to the back of wait; its attempts and stacks stay', async () => {
      const queue = used.queue();
      await queue.seed({ ...failed(), wait: ['2'] });
      expect(await again(queue)).toBe('waiting');
      expect(await queue.read()).toEqual({
        wait: ['1', '2'],
        1: jobHash({ atm: 3, ats: 4, stc: 1, stacktrace: ['s'] }),
        meta: META,
        marker: [['0', 0]],
        events: [{ event: 'waiting', jobId: '1', prev: 'failed' }],
      });
    });

    it('a completed job, without its result', async () => {
      const queue = used.queue();
      const jobs = { 1: { ...ENDED, returnvalue: '1' } };
      await queue.seed({ meta: META, completed: { 1: NOW }, jobs });
      expect(await again(queue, { state: 'completed' })).toBe('waiting');
      expect(await queue.read()).toMatchObject({
        wait: ['1'],
        1: jobHash({ atm: 3, ats: 4, stc: 1 }),
        events: [{ event: 'waiting', jobId: '1', prev: 'completed' }],
      });
    });

    it('with its whole budget of attempts when asked', async () => {
      const queue = used.queue();
      await queue.seed(failed());
      await again(queue, { resetAttempts: true });
      expect((await queue.read())['1']).toEqual(jobHash({ stc: 1, stacktrace: ['s'] }));
    });

    it('a LIFO job to the front, a job with a priority to its class', async () => {
      const queue = used.queue();
      await queue.seed({ ...failed({ opts: { lifo: true } }), wait: ['2'] });
      await again(queue);
      expect((await queue.read()).wait).toEqual(['2', '1']);
      await queue.seed({ ...failed({ priority: 6 }), wait: [] });
      expect(await again(queue)).toBe('prioritized');
      expect(await queue.read()).toMatchObject({ prioritized: [['1', 6 * 2 ** 32 + 1]] });
    });

    it.each([
      ['completed', 'processed', { ':processed': '1' }],
      ['failed', 'unsuccessful', { ':unsuccessful': 1 }],
      ['failed', 'failed', { ':failed': 'boom' }],
    ] as const)(
      'a %s child: its parent waits for it once more (%s)',
      async (state, kind, entry) => {
        const queue = used.queue();
        const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
        await queue.seed({
          meta: META,
          [state]: { 1: NOW },
          jobs: { 1: { parent, parentKey: queue.key('p') }, p: {} },
          [`p:${kind}`]: { [queue.key('1')]: Object.values(entry)[0] },
          'waiting-children': { p: 1 },
        });
        await again(queue, { state });
        const dump = await queue.read();
        expect(dump).toMatchObject({
          'p:dependencies': [queue.key('1')],
          'waiting-children': [['p', 1]],
        });
        expect(dump).not.toHaveProperty(`p:${kind}`);
      },
    );

    it('a child whose parent has forgotten it, without a word to that', async () => {
      const queue = used.queue();
      const parent = { id: 'p', queueKey: queue.base.slice(0, -1) };
      await queue.seed(failed({ parent, parentKey: queue.key('p') }));
      await again(queue);
      expect(await queue.read()).not.toHaveProperty('p:dependencies');
    });
  });

  describe('rejects, and writes nothing', () => {
    it.each([
      ['JOB_NOT_FOUND', 'no such job', { jobId: 'x' }],
      ['JOB_NOT_IN_STATE', 'it ended otherwise', { state: 'completed' as const }],
      ['JOB_NOT_IN_STATE', 'it waits already', { jobId: '2' }],
    ])('%s: %s', async (reason, _, more) => {
      const queue = used.queue();
      await queue.seed({ ...failed(), wait: ['2'] });
      await queue.seed({ jobs: { 2: {} } });
      expect(await refusal(queue, () => again(queue, more))).toBe(reason);
    });
  });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      await queue.seed({ ...failed(), active: ['other'], meta: { ...META, ...meta } });
      await again(queue);
      const { marker } = await queue.read();
      expect(marker ? { marker } : {}).toEqual(baseMarker(open));
    });
  });

  it('announces waiting after its end', async () => {
    const queue = used.queue();
    await queue.seed(failed());
    await again(queue);
    expect(eventLines(await queue.read())).toEqual(['event=waiting jobId=1 prev=failed']);
  });
});
