import { EchoMQError, type Store, type StoredJob, StoreUnavailable } from '@echomq/core';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import { makeNextRun } from './next-run.js';
import { readScheduler } from './scheduler-record.js';

/** The warning names the page that says what to do. */
const SEE = 'docs/compatibility.md, "BullMQ 5 beside 6 on one queue"';

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
    else if (await isLegacy(store, queue, job)) {
      const { schedulerId, id: jobId } = job;
      logger.warn('scheduler.legacy', { queue: queue.name, schedulerId, jobId, see: SEE });
    }
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

/**
 * Whether the job is a run of one of BullMQ's old repeatable jobs, which workers of 5.x continue and nobody else does.
 * Asked only where no next run was made.
 */
async function isLegacy(store: Store, { keys }: NamedQueue, job: StoredJob): Promise<boolean> {
  const schedulerId = job.schedulerId ?? '';
  if ((await store.command('ZSCORE', [keys.schedulers, schedulerId])) === null) return false;
  return (await readScheduler(store, keys, schedulerId)) === undefined;
}
