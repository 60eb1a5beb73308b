import { addStandardJob as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { type AddOutcome, acceptedAdd, type NewJob, related } from '../new-job.js';
import type { Store } from '../store.js';

/**
 * Adds a job that may run at once.
 *
 * @throws TransitionRejected PARENT_JOB_NOT_FOUND, PARENT_JOB_CANNOT_BE_REPLACED, REQUEST_ID_REUSED, QUEUE_FULL,
 * PAYLOAD_TOO_LARGE; StoreFull when the store refuses new jobs.
 */
export function addStandardJob(store: Store, queue: QueueKeys, job: NewJob): Promise<AddOutcome> {
  const reply = store.run(script, queue, {
    prefix: queue.base,
    customId: job.customId ?? '',
    name: job.name,
    timestamp: job.timestamp ?? '',
    data: job.data,
    opts: job.opts,
    place: related(job.lifo ? { lifo: true } : {}, job),
  });
  return reply.then((answer) => acceptedAdd(script, answer, queue));
}
