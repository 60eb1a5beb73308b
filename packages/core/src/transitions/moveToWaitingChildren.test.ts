import { jobHash, type QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { endedBefore, itKeepsReceipts, sessionReceipt } from '../../test/receipts.js';
import { eventLines, META, NOW, refusal, type TestQueue, useStore } from '../../test/use-store.js';
import { type AwaitChildren, moveToWaitingChildren } from './moveToWaitingChildren.js';

const used = useStore();
const CHILD = 'bull:children:c';
const park = (queue: TestQueue, more: Partial<AwaitChildren> = {}) =>
  moveToWaitingChildren(used.store, queue.keys, { jobId: '1', token: 't1', ...more }, NOW);
const parent = (more: QueueState = {}) => activeJob({}, { '1:dependencies': [CHILD], ...more });

describe('moveToWaitingChildren', () => {
  describe('moves', () => {
    it('a parent out of active until its children have ended', async () => {
      const queue = used.queue();
      await queue.seed(parent());
      expect(await park(queue)).toBe(true);
      expect(await queue.read()).toEqual({
        'waiting-children': [['1', NOW]],
        '1:dependencies': [CHILD],
        1: jobHash({ ats: 1 }),
        meta: META,
        events: [{ event: 'waiting-children', jobId: '1', prev: 'active' }],
      });
    });

    it('only for a child that is pending, when one is named', async () => {
      const queue = used.queue();
      await queue.seed(parent());
      expect(await park(queue, { childKey: CHILD })).toBe(true);
      await queue.seed(parent());
      const before = await queue.read();
      expect(await park(queue, { childKey: 'bull:children:other' })).toBe(false);
      expect(await queue.read()).toEqual(before);
    });

    it('not without pending children: it stays active and locked', async () => {
      const queue = used.queue();
      await queue.seed(activeJob());
      const before = await queue.read();
      expect(await park(queue)).toBe(false);
      expect(await queue.read()).toEqual(before);
    });
  });

  itRejectsForeignLeases(used, (queue, jobId, token) => park(queue, { jobId, token }), {
    more: { '1:dependencies': [CHILD], '2:dependencies': [CHILD] },
  });

  it('rejects JOB_HAS_FAILED_CHILDREN, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed(parent({ '1:unsuccessful': { x: 1 } }));
    expect(await refusal(queue, () => park(queue))).toBe('JOB_HAS_FAILED_CHILDREN');
  });

  describe('wakes', () => {
    it.each([
      ['a slot that the global concurrency had closed', { concurrency: 2 }, true],
      ['nobody while others keep it closed', { concurrency: 1 }, false],
      ['nobody in a paused queue', { paused: 1, concurrency: 2 }, false],
      ['nobody without a global concurrency', {}, false],
    ])('%s', async (_, gate, wakes) => {
      const queue = used.queue();
      await queue.seed(parent({ active: ['1', 'other'], wait: ['2'] }));
      await queue.seed({ meta: { ...META, ...gate } });
      await park(queue);
      expect('marker' in (await queue.read())).toBe(wakes);
    });
  });

  it('announces waiting-children after active', async () => {
    const queue = used.queue();
    await queue.seed(parent());
    await park(queue);
    expect(eventLines(await queue.read())).toEqual(['event=waiting-children jobId=1 prev=active']);
  });

  itKeepsReceipts(used, {
    seed: activeJob({ atm: 1 }, { '1:dependencies': [CHILD] }),
    call: (queue, receipt) => park(queue, { receipt }),
    answer: '"waiting-children",1,0',
    again: endedBefore,
  });

  it('writes no receipt, progress or log row where nothing is pending', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    const before = await queue.read();
    const notes = { progress: '5', logs: ['a'], receipt: sessionReceipt(queue) };
    expect(await park(queue, notes)).toBe(false);
    expect(await queue.read()).toEqual(before);
    await queue.seed({ '1:dependencies': [CHILD] });
    await park(queue, notes);
    expect(await queue.read()).toMatchObject({ 1: { progress: '5' }, '1:logs': ['a'] });
  });
});
