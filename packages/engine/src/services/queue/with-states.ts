import { getState, type JobState, TransitionRejected } from '@echomq/core';
import { namedError } from '../named-error.js';
import { jobNotInState } from './job-errors.js';
import type { NamedJob, QueueDeps } from './named-job.js';

/**
 * Runs a transition and completes its rejections: the queue as the client named it, and for JOB_NOT_IN_STATE the states
 * `expected` and `actual`. The actual one is read afterwards and may have changed since.
 */
export async function withStates<Result>(
  { store }: Pick<QueueDeps, 'store'>,
  { queue, id }: NamedJob,
  expected: readonly JobState[],
  transition: () => Promise<Result>,
): Promise<Result> {
  try {
    return await transition();
  } catch (error) {
    const notInState = error instanceof TransitionRejected && error.reason === 'JOB_NOT_IN_STATE';
    if (!notInState) throw namedError(error, queue);
    const actual = await getState(store, queue.keys, id).catch(() => 'unknown' as const);
    throw jobNotInState(queue, id, { expected, actual });
  }
}
