import type { QueueState } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { META, refusal, type TestQueue, type UsedStore } from './use-store.js';

/** What a test calls with: the queue, the job and the token that the caller claims. */
export type LeaseCall = (queue: TestQueue, jobId: string, token: string) => Promise<unknown>;

/** An active job `1`, locked with `t1`, as most leases begin. */
export function activeJob(job: Record<string, unknown> = {}, more: QueueState = {}): QueueState {
  return {
    meta: META,
    active: ['1'],
    jobs: { 1: { ats: 1, ...job } },
    locks: { 1: 't1' },
    stalled: ['1'],
    ...more,
  };
}

/**
 * The rejections that every transition of a lease has, one test each, each with the proof that nothing was written.
 *
 * @param how `leaves`: the job leaves `active`, so that it must stand there; `more`: what else the queue has
 */
export function itRejectsForeignLeases(
  used: UsedStore,
  call: LeaseCall,
  { leaves = true, more = {} }: { readonly leaves?: boolean; readonly more?: QueueState } = {},
): void {
  const reasonFor = async (state: QueueState, jobId: string, token: string): Promise<string> => {
    const queue = used.queue();
    await queue.seed(more);
    await queue.seed(state);
    return refusal(queue, () => call(queue, jobId, token));
  };

  describe('rejects, and writes nothing', () => {
    it('JOB_NOT_FOUND: no hash', async () => {
      expect(await reasonFor(activeJob(), '2', 't1')).toBe('JOB_NOT_FOUND');
    });
    it('JOB_NOT_FOUND: a lock is left, the hash is gone', async () => {
      const ghost = { meta: META, active: ['1'], locks: { 1: 't1' } };
      expect(await reasonFor(ghost, '1', 't1')).toBe('JOB_NOT_FOUND');
    });
    it('LOCK_LOST: the lock has expired', async () => {
      expect(await reasonFor(activeJob({}, { locks: {} }), '1', 't1')).toBe('LOCK_LOST');
    });
    it('LOCK_NOT_OWNED: another token', async () => {
      expect(await reasonFor(activeJob(), '1', 't2')).toBe('LOCK_NOT_OWNED');
    });
    it.each(['', '0'])(
      'LOCK_NOT_OWNED: the token "%s", even where the lock has it',
      async (token) => {
        expect(await reasonFor(activeJob(), '1', token)).toBe('LOCK_NOT_OWNED');
        const magic = activeJob({}, { locks: { 1: token } });
        expect(await reasonFor(magic, '1', token)).toBe('LOCK_NOT_OWNED');
      },
    );
    if (!leaves) return;
    it('JOB_NOT_IN_STATE: locked, but not in active', async () => {
      const elsewhere = activeJob({}, { active: [], wait: ['1'] });
      expect(await reasonFor(elsewhere, '1', 't1')).toBe('JOB_NOT_IN_STATE');
    });
  });
}
