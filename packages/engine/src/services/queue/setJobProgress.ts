import { updateProgress } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { jsonPayload } from '../../validation/json-payload.js';
import { writeMethod } from '../unary-method.js';
import { namedJob, type QueueDeps } from './named-job.js';

/** QueueService.SetJobProgress. A job that is gone is not made anew. */
export function setJobProgress(deps: QueueDeps): QueueApi['setJobProgress'] {
  return writeMethod(deps, async (request) => {
    const { queue, id } = namedJob(deps, request);
    const { limits } = deps;
    const progress = jsonPayload(request.progress, 'progress', { limits, empty: 'null' });
    await updateProgress(deps.store, queue.keys, { jobId: id, anyone: true, progress });
    return {};
  });
}
