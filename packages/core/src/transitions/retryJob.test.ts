import { jobHash } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { baseMarker, GATES } from '../../test/gates.js';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { endedBefore, itKeepsReceipts } from '../../test/receipts.js';
import { eventLines, META, NOW, type TestQueue, useStore } from '../../test/use-store.js';
import { retryJob } from './retryJob.js';

const used = useStore();
const retry = (queue: TestQueue, jobId = '1', token = 't1') =>
  retryJob(used.store, queue.keys, { jobId, token, reason: 'boom' }, NOW);

describe('retryJob', () => {
  describe('moves', () => {
    it('an active job to the back of wait, whatever its attempts', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ atm: 4 }, { wait: ['3', '2'] }));
      expect(await retry(queue)).toBe('waiting');
      expect(await queue.read()).toEqual({
        wait: ['1', '3', '2'],
        1: jobHash({ ats: 1, atm: 5, failedReason: 'boom' }),
        meta: META,
        marker: [['0', 0]],
        events: [{ event: 'waiting', jobId: '1', prev: 'active' }],
      });
    });

    it('a LIFO job to the front', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ opts: { lifo: true } }, { wait: ['2'] }));
      await retry(queue);
      expect((await queue.read()).wait).toEqual(['2', '1']);
    });

    it('a job with a priority back to its class', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({ priority: 2 }));
      expect(await retry(queue)).toBe('prioritized');
      expect(await queue.read()).toMatchObject({ prioritized: [['1', 2 * 2 ** 32 + 1]], pc: '1' });
    });

    it('due jobs along with it', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { delayed: { 2: 4096 } }));
      await queue.seed({ jobs: { 2: { delay: 7 } } });
      await retry(queue);
      expect(await queue.read()).toMatchObject({ wait: ['1', '2'], 2: jobHash({}) });
    });
  });

  itRejectsForeignLeases(used, retry, { more: { delayed: { due: 4096 } } });

  describe('wakes', () => {
    it.each(GATES)('a worker only while the gate is open: $gate', async ({ meta, open }) => {
      const queue = used.queue();
      const job = activeJob({}, { active: ['1', 'other'] });
      await queue.seed({ ...job, meta: { ...META, ...meta } });
      await retry(queue);
      const { marker } = await queue.read();
      expect(marker ? { marker } : {}).toEqual(baseMarker(open));
    });
  });

  it('announces waiting after active', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await retry(queue);
    expect(eventLines(await queue.read())).toEqual(['event=waiting jobId=1 prev=active']);
  });

  itKeepsReceipts(used, {
    seed: activeJob({ atm: 4 }),
    call: (queue, receipt) => {
      const failed = { jobId: '1', token: 't1', reason: 'boom', receipt };
      return retryJob(used.store, queue.keys, failed, NOW);
    },
    answer: '"waiting",5,0',
    again: endedBefore,
  });
});
