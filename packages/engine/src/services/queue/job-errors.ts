import { EchoMQError, type JobState } from '@echomq/core';
import { stateName } from '../../messages/job-state.js';
import type { NamedQueue } from '../../queue-names.js';
import { isKeyName } from '../../validation/job-id.js';

/** The error for a job that is not there. */
export function jobNotFound(queue: NamedQueue, jobId: string): EchoMQError {
  return new EchoMQError('there is no such job', {
    code: 'NOT_FOUND',
    reason: 'JOB_NOT_FOUND',
    metadata: { queue: queue.name, job_id: jobId },
  });
}

/** The error for a job that is elsewhere than it must be. */
export function jobNotInState(
  queue: NamedQueue,
  jobId: string,
  states: { readonly expected: readonly JobState[]; readonly actual: JobState },
): EchoMQError {
  const expected = states.expected.map(stateName).join(' or ');
  const actual = stateName(states.actual);
  return new EchoMQError(`the job is ${actual} and must be ${expected}`, {
    code: 'FAILED_PRECONDITION',
    reason: 'JOB_NOT_IN_STATE',
    metadata: { queue: queue.name, job_id: jobId, expected, actual },
  });
}

/**
 * Refuses ids under which a key of the queue stands: to a transition its hash could look like a job's.
 *
 * @throws EchoMQError JOB_NOT_FOUND.
 */
export function refuseKeyName(queue: NamedQueue, jobId: string): void {
  if (isKeyName(jobId)) throw jobNotFound(queue, jobId);
}
