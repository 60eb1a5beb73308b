import type { StoredJob } from '@echomq/core';

/**
 * How long a job that was just taken had been ready, ms, by the store's clock. `undefined` for one that had been started
 * before: nothing tells when it became ready again.
 */
export function waitMsOf(job: StoredJob): number | undefined {
  if (job.attemptsStarted > 1 || job.attemptsMade > 0 || job.stalledCount > 0) return undefined;
  if (job.processedOn === undefined) return undefined;
  return Math.max(0, job.processedOn - job.timestamp - job.delay);
}
