import { changePriority, getState, type JobState } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { MAX_PRIORITY } from '../../validation/priority.js';
import { uint } from '../../validation/uint.js';
import { writeMethod } from '../unary-method.js';
import { jobNotInState } from './job-errors.js';
import { namedJob, type QueueDeps } from './named-job.js';
import { withStates } from './with-states.js';

const UNFINISHED: readonly JobState[] = [
  'waiting',
  'prioritized',
  'delayed',
  'active',
  'waiting-children',
];

/** QueueService.UpdateJobPriority. A job that does not wait to run goes by it when it does so next. */
export function updateJobPriority(deps: QueueDeps): QueueApi['updateJobPriority'] {
  return writeMethod(deps, async (request) => {
    const job = namedJob(deps, request);
    const priority = uint(request.priority, 'priority', { max: MAX_PRIORITY, fallback: 0 });
    const state = await getState(deps.store, job.queue.keys, job.id);
    if (state === 'completed' || state === 'failed') {
      throw jobNotInState(job.queue, job.id, { expected: UNFINISHED, actual: state });
    }
    const change = { jobId: job.id, priority, lifo: request.lifo === true };
    await withStates(deps, job, [], () => changePriority(deps.store, job.queue.keys, change));
    return {};
  });
}
