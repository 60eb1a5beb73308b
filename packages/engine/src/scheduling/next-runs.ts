import { EchoMQError, type StoredJob } from '@echomq/core';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import { makeNextRun } from './next-run.js';

/**
 * What the dispatch does before it hands out a job: the run of a scheduler makes the next one. A failure is logged and
 * the job handed out all the same; the sweep mends the schedule.
 */
export function nextRuns(
  deps: EngineDeps,
): (queue: NamedQueue, job: StoredJob) => Promise<void> | undefined {
  return (queue, job) => (job.schedulerId === undefined ? undefined : make(deps, queue, job));
}

async function make(deps: EngineDeps, queue: NamedQueue, job: StoredJob): Promise<void> {
  try {
    await makeNextRun(deps.store, queue.keys, job);
  } catch (error) {
    const reason = error instanceof EchoMQError ? error.reason : 'UNEXPECTED';
    const { schedulerId, id: jobId } = job;
    deps.logger.warn('scheduler.notContinued', { queue: queue.name, schedulerId, jobId, reason });
  }
}
