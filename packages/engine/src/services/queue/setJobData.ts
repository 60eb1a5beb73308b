import { updateData } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { jsonPayload } from '../../validation/json-payload.js';
import { writeMethod } from '../unary-method.js';
import { namedJob, type QueueDeps } from './named-job.js';

/** QueueService.SetJobData. A job that is gone is not made anew; a run under way keeps the payload that it began with. */
export function setJobData(deps: QueueDeps): QueueApi['setJobData'] {
  return writeMethod(deps, async (request) => {
    const { queue, id } = namedJob(deps, request);
    const { limits } = deps;
    const data = jsonPayload(request.data, 'data', { limits, empty: '{}' });
    await updateData(deps.store, queue.keys, { jobId: id, anyone: true, data });
    return {};
  });
}
