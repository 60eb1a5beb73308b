import { EchoMQError, type StoredJob, StoreUnavailable } from '@echomq/core';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import { makeNextRun } from './next-run.js';

/**
 * What the dispatch does before it hands out a job: the run of a scheduler makes the next one. Resolves to whether the
 * job may be handed out. With a store that cannot be reached it may not: nobody could tell that the schedule stands
 * still. Any other failure is logged, and the repairs mend the schedule.
 */
export function nextRuns(
  deps: Pick<EngineDeps, 'store' | 'logger' | 'observer'>,
): (queue: NamedQueue, job: StoredJob) => Promise<boolean> | undefined {
  return (queue, job) => (job.schedulerId === undefined ? undefined : make(deps, queue, job));
}

async function make(
  { store, logger, observer }: Pick<EngineDeps, 'store' | 'logger' | 'observer'>,
  queue: NamedQueue,
  job: StoredJob,
): Promise<boolean> {
  try {
    const run = await makeNextRun(store, queue.keys, job);
    if (run) observer?.jobsAdded(queue.name, 1);
    return true;
  } catch (error) {
    const reason = error instanceof EchoMQError ? error.reason : 'UNEXPECTED';
    const { schedulerId, id: jobId } = job;
    logger.warn('scheduler.notContinued', {
      queue: queue.name,
      schedulerId,
      jobId,
      reason,
      error: String(error).slice(0, 500),
    });
    return !(error instanceof StoreUnavailable);
  }
}
