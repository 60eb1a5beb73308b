import type * as pb from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import { HeldJob, type HoldPhase } from '../src/worker/held-job.js';
import { HeldJobs } from '../src/worker/held-jobs.js';

function heldJob(leaseToken: string): HeldJob<unknown, unknown> {
  const lease = { queue: 'q', jobId: leaseToken, leaseToken };
  const spans = { lockMs: 30_000, acceptMs: 5_000 };
  return new HeldJob({ ...lease }, { lease } as pb.DeliveredJob, spans);
}

describe('a job that is held no longer', () => {
  test.each<HoldPhase>(['buffered', 'running', 'reported'])(
    'leaves nothing behind when it was %s',
    (phase) => {
      const jobs = new HeldJobs<unknown, unknown>();
      const [gone, stays] = [heldJob('gone'), heldJob('stays')];
      for (const held of [gone, stays]) {
        jobs.add(held);
        jobs.turn(held, phase);
      }
      jobs.forget(gone);
      jobs.forget(gone);
      expect(gone.phase).toBe('over');
      expect(jobs.all()).toEqual([stays]);
      expect([jobs.count(phase), jobs.count('over'), jobs.size]).toEqual([1, 0, 1]);
    },
  );

  test('does not take one with it that holds its token now', () => {
    const jobs = new HeldJobs<unknown, unknown>();
    const [old, next] = [heldJob('a'), heldJob('a')];
    jobs.add(old);
    jobs.forget(old);
    jobs.add(next);
    jobs.forget(old);
    expect(jobs.get('a')).toBe(next);
    expect([jobs.count('buffered'), jobs.inPhase('buffered')]).toEqual([1, [next]]);
  });
});
