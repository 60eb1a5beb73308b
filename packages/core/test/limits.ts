import { expect, it } from 'vitest';
import { META, refusal, type TestQueue, type UsedStore } from './use-store.js';

/**
 * The limits that a queue's `meta` sets for an add of one job.
 *
 * @param add adds a job whose data has at least 1 byte
 */
export function itKeepsLimits(used: UsedStore, add: (queue: TestQueue) => Promise<unknown>): void {
  it('rejects QUEUE_FULL, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ meta: { ...META, 'echomq.maxJobs': 1 }, wait: ['x'], jobs: { x: {} } });
    expect(await refusal(queue, () => add(queue))).toBe('QUEUE_FULL');
  });

  it('rejects PAYLOAD_TOO_LARGE, and writes nothing', async () => {
    const queue = used.queue();
    await queue.seed({ meta: { ...META, 'echomq.maxPayload': 0 } });
    expect(await refusal(queue, () => add(queue))).toBe('PAYLOAD_TOO_LARGE');
    expect(await used.redis.client.exists(queue.key('id'))).toBe(0);
  });
}
