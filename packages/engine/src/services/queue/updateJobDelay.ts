import { changeDelay, InvalidRequest } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { writeMethod } from '../unary-method.js';
import { namedJob, type QueueDeps } from './named-job.js';
import { withStates } from './with-states.js';

/** QueueService.UpdateJobDelay. The delay counts from now, by the store's clock. */
export function updateJobDelay(deps: QueueDeps): QueueApi['updateJobDelay'] {
  return writeMethod(deps, async (request) => {
    const job = namedJob(deps, request);
    const delayMs = durationMs(request.delay, 'delay');
    if (delayMs === undefined) throw new InvalidRequest('delay', 'is missing');
    const change = { jobId: job.id, until: { delayMs } };
    await withStates(deps, job, ['delayed'], () => changeDelay(deps.store, job.queue.keys, change));
    return {};
  });
}
