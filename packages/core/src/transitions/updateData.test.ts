import { describe, expect, it } from 'vitest';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { type TestQueue, useStore } from '../../test/use-store.js';
import { itServesAnyone } from '../../test/writes-without-lease.js';
import { updateData } from './updateData.js';

const used = useStore();
const update = (queue: TestQueue, jobId = '1', token = 't1', data: string | Buffer = '{"b":2}') =>
  updateData(used.store, queue.keys, { jobId, token, data });

describe('updateData', () => {
  it('moves nothing: it replaces the data', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ data: { a: 1 } }));
    const before = await queue.read();
    await update(queue);
    expect(await queue.read()).toEqual({
      ...before,
      1: { ...(before['1'] as object), data: '{"b":2}' },
    });
  });

  it('keeps every byte', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    const bytes = Buffer.from([0, 0xff, 0xc3]);
    await update(queue, '1', 't1', bytes);
    const dump = await queue.read({ encoding: 'latin1' });
    expect(dump['1']).toMatchObject({ data: bytes.toString('latin1') });
  });

  itRejectsForeignLeases(used, update, { leaves: false });

  itServesAnyone(used, (queue, jobId) =>
    updateData(used.store, queue.keys, { jobId, anyone: true, data: '{"b":2}' }),
  );

  it('wakes nobody and announces nothing', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await update(queue);
    const dump = await queue.read();
    for (const key of ['marker', 'events']) expect(dump).not.toHaveProperty(key);
  });
});
