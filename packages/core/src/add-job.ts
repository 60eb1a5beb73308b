import type { QueueKeys } from './keys.js';
import type { AddOutcome, NewJob } from './new-job.js';
import type { Store } from './store.js';
import { addDelayedJob } from './transitions/addDelayedJob.js';
import { addPrioritizedJob } from './transitions/addPrioritizedJob.js';
import { addStandardJob } from './transitions/addStandardJob.js';

/** Adds a job by the transition that its delay and priority ask for. A delayed job keeps its priority for later. */
export function addJob(store: Store, queue: QueueKeys, job: NewJob): Promise<AddOutcome> {
  if ((job.delay ?? 0) > 0 || job.dueAt !== undefined) return addDelayedJob(store, queue, job);
  if ((job.priority ?? 0) > 0) return addPrioritizedJob(store, queue, job);
  return addStandardJob(store, queue, job);
}
