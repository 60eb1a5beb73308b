import { getState } from '@echomq/core';
import { jobState } from '../../messages/job-state.js';
import type { QueueApi } from '../../service.js';
import { readMethod } from '../unary-method.js';
import { jobNotFound } from './job-errors.js';
import { namedJob, type QueueDeps } from './named-job.js';

/** QueueService.GetJobState. UNKNOWN is a job that exists and stands nowhere. */
export function getJobState(deps: QueueDeps): QueueApi['getJobState'] {
  return readMethod(deps, async (request) => {
    const { queue, id } = namedJob(deps, request);
    const [state, exists] = await Promise.all([
      getState(deps.store, queue.keys, id),
      deps.store.command('EXISTS', [queue.keys.job(id)]),
    ]);
    if (state === 'unknown' && exists !== 1) throw jobNotFound(queue, id);
    return { state: jobState(state) };
  });
}
