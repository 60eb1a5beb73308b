import { getState, InvalidRequest, reprocessJob } from '@echomq/core';
import { JobState } from '@echomq/proto/messages';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { jobNotInState } from './job-errors.js';
import { type NamedJob, namedJob, type QueueDeps } from './named-job.js';
import { withStates } from './with-states.js';

/** QueueService.RetryJob: a finished job runs again. */
export function retryJob(deps: QueueDeps): QueueApi['retryJob'] {
  return writeMethod(deps, async (request) => {
    const job = namedJob(deps, request);
    const states = finishedStates(request.state);
    const state = states.length === 1 ? states[0] : await finishedState(deps, job);
    const again = { jobId: job.id, state, resetAttempts: request.resetAttempts === true };
    await withStates(deps, job, states, () => reprocessJob(deps.store, job.queue.keys, again));
    return {};
  });
}

type Finished = 'completed' | 'failed';

function finishedStates(state: JobState): readonly [Finished] | readonly [Finished, Finished] {
  if (state === JobState.COMPLETED) return ['completed'];
  if (state === JobState.FAILED) return ['failed'];
  if (state === JobState.UNSPECIFIED || state === undefined) return ['completed', 'failed'];
  throw new InvalidRequest('state', 'must be COMPLETED or FAILED');
}

/** The finished state that the job is in. A job elsewhere, or none: the transition says which it is. */
async function finishedState(deps: QueueDeps, { queue, id }: NamedJob): Promise<Finished> {
  const state = await getState(deps.store, queue.keys, id);
  if (state === 'completed' || state === 'failed') return state;
  if (state === 'unknown') return 'failed';
  throw jobNotInState(queue, id, { expected: ['completed', 'failed'], actual: state });
}
