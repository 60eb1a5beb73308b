import { describe, expect, it } from 'vitest';
import { activeJob, itRejectsForeignLeases } from '../../test/lease-rejections.js';
import { eventLines, META, type TestQueue, useStore } from '../../test/use-store.js';
import { itServesAnyone } from '../../test/writes-without-lease.js';
import { updateProgress } from './updateProgress.js';

const used = useStore();
const update = (queue: TestQueue, jobId = '1', token = 't1') =>
  updateProgress(used.store, queue.keys, { jobId, token, progress: '{"at":50}' });

describe('updateProgress', () => {
  it('moves nothing: it stores the progress', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({ progress: '10' }, { meta: {} }));
    const before = await queue.read();
    await update(queue);
    expect(await queue.read()).toEqual({
      ...before,
      1: { ...(before['1'] as object), progress: '{"at":50}' },
      meta: META,
      events: [{ event: 'progress', jobId: '1', data: '{"at":50}' }],
    });
  });

  itRejectsForeignLeases(used, update, { leaves: false });

  itServesAnyone(used, (queue, jobId) =>
    updateProgress(used.store, queue.keys, { jobId, anyone: true, progress: '1' }),
  );

  it('wakes nobody', async () => {
    const queue = used.queue();
    await queue.seed(activeJob());
    await update(queue);
    expect(await queue.read()).not.toHaveProperty('marker');
  });

  it('announces progress with its JSON, in a stream that it trims', async () => {
    const queue = used.queue();
    await queue.seed(activeJob({}, { meta: { 'opts.maxLenEvents': 5 } }));
    await update(queue);
    expect(eventLines(await queue.read())).toEqual(['event=progress jobId=1 data={"at":50}']);
    for (let i = 0; i < 250; i++) await update(queue);
    expect(eventLines(await queue.read()).length).toBeLessThanOrEqual(200);
  });
});
