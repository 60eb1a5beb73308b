import { AddOutcome } from '@echomq/proto/messages';
import { describe, expect, it } from 'vitest';
import { fail, finish, type RawClient, span, takeOne, useRig } from '../../src/index.js';

const rig = useRig();

const addUnique = (raw: RawClient, queue: string, ttlMs?: number) =>
  raw.call('producer', 'addJob', {
    queue,
    name: 'x',
    options: { deduplication: { id: 'k', ...(ttlMs ? { ttl: span(ttlMs) } : {}) } },
  });
const removed = (raw: RawClient, queue: string, jobId: string) =>
  raw.call('queue', 'removeJob', { queue, jobId });

describe('a deduplication id', () => {
  it.each([undefined, 3_600_000])(
    'T064 dedup key deleted by old job: a removal of its first owner leaves the second its own (time to live: %s)',
    async (ttlMs) => {
      const queue = rig.freshQueue();
      const raw = rig.raw();
      const a = await addUnique(raw, queue.name, ttlMs);
      await finish(raw, await takeOne(raw, queue.name), fail('a', { final: true }));
      // With a time to live the id outlives its job: only an operator lets the next one in.
      if (ttlMs !== undefined) {
        const request = { queue: queue.name, deduplicationId: 'k' };
        await raw.call('queue', 'removeDeduplicationKey', request);
      }
      const b = await addUnique(raw, queue.name, ttlMs);
      expect(b.outcome).toBe(AddOutcome.CREATED);
      await removed(raw, queue.name, a.jobId);
      const c = await addUnique(raw, queue.name, ttlMs);
      expect([c.outcome, c.existingJobId]).toEqual([AddOutcome.DEDUPLICATED, b.jobId]);
      // The same by the other ways in which an operator takes an old job away.
      await raw.call('queue', 'cleanQueue', { queue: queue.name, state: 7 });
      expect((await addUnique(raw, queue.name, ttlMs)).existingJobId).toBe(b.jobId);
    },
  );

  it('T065 dedup key outlives job: it is free once its job is deleted, whatever its time to live', async () => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    const ways = [
      (jobId: string) => removed(raw, queue.name, jobId),
      () => raw.call('queue', 'drainQueue', { queue: queue.name }),
      () => raw.call('queue', 'cleanQueue', { queue: queue.name, state: 1 }),
    ];
    for (const remove of ways) {
      const { jobId, outcome } = await addUnique(raw, queue.name, 3_600_000);
      expect(outcome).toBe(AddOutcome.CREATED);
      await remove(jobId);
    }
    expect((await addUnique(raw, queue.name, 3_600_000)).outcome).toBe(AddOutcome.CREATED);
  });
});
