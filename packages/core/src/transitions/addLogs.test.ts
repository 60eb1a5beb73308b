import { describe, expect, it } from 'vitest';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { itKeepsReceipts } from '../../test/receipts.js';
import { type TestQueue, useStore } from '../../test/use-store.js';
import { itServesAnyone } from '../../test/writes-without-lease.js';
import { addLogs, type LogRows } from './addLogs.js';

const used = useStore();
const add = (
  queue: TestQueue,
  more: Partial<Pick<LogRows, 'jobId' | 'rows' | 'keep' | 'receipt'>> & { token?: string } = {},
) =>
  addLogs(used.store, queue.keys, { jobId: '1', token: 't1', rows: ['c', 'd'], keep: 0, ...more });

describe('addLogs', () => {
  describe('moves nothing', () => {
    it('appends the rows, oldest first', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { '1:logs': ['a', 'b'] }));
      const before = await queue.read();
      expect(await add(queue)).toBe(4);
      expect(await queue.read()).toEqual({ ...before, '1:logs': ['a', 'b', 'c', 'd'] });
    });

    it('keeps the newest', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { '1:logs': ['a', 'b'] }));
      expect(await add(queue, { keep: 3 })).toBe(3);
      expect(await queue.read()).toMatchObject({ '1:logs': ['b', 'c', 'd'] });
      expect(await add(queue, { rows: ['e'], keep: 10 })).toBe(4);
    });

    it('keeps all at 0', async () => {
      const queue = used.queue();
      await queue.seed(activeJob({}, { '1:logs': ['a', 'b'] }));
      expect(await add(queue, { keep: 0 })).toBe(4);
    });

    it('takes no rows, odd rows and many rows', async () => {
      const queue = used.queue();
      await queue.seed(activeJob());
      expect(await add(queue, { rows: [] })).toBe(0);
      expect(await add(queue, { rows: ['', 'żółw\n🐢', 'x'.repeat(70_000)] })).toBe(3);
      const many = Array.from({ length: 9_500 }, (_, at) => `row ${at}`);
      expect(await add(queue, { rows: many })).toBe(9_503);
      expect((await queue.read())['1:logs']).toEqual(['', 'żółw\n🐢', 'x'.repeat(70_000), ...many]);
    });
  });

  itRejectsForeignLeases(used, (queue, jobId, token) => add(queue, { jobId, token, keep: 1 }), {
    leaves: false,
    more: { '1:logs': ['a', 'b'] },
  });

  itServesAnyone(used, (queue, jobId) =>
    addLogs(used.store, queue.keys, { jobId, anyone: true, rows: ['c'], keep: 0 }),
  );

  it('wakes nobody and announces nothing', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await add(queue);
    const dump = await queue.read();
    for (const key of ['marker', 'events']) expect(dump).not.toHaveProperty(key);
  });

  itKeepsReceipts(used, {
    seed: activeJob({}, { '1:logs': ['a', 'b'] }),
    call: (queue, receipt) => add(queue, { receipt }),
    answer: '4',
    again: (first) => first,
  });
});
