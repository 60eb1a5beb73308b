import { getState } from '@echomq/core';
import { JobView } from '@echomq/proto/messages';
import { adminJob } from '../../messages/job.js';
import { fitted } from '../../messages/sizes.js';
import type { QueueApi } from '../../service.js';
import { readMethod } from '../unary-method.js';
import { jobNotFound } from './job-errors.js';
import { namedJob, type QueueDeps } from './named-job.js';
import { readJob, shownView } from './stored-jobs.js';

/** QueueService.GetJob. The state is read first, so that a job removed meanwhile is found missing, never stateless. */
export function getJob(deps: QueueDeps): QueueApi['getJob'] {
  return readMethod(deps, async (request) => {
    const { queue, id } = namedJob(deps, request);
    const view = shownView(request.view, JobView.FULL);
    const [first, read] = await Promise.all([
      getState(deps.store, queue.keys, id),
      readJob(deps, queue, id, view),
    ]);
    if (!read) throw jobNotFound(queue, id);
    // Added between the two reads, or truly nowhere.
    const state = first === 'unknown' ? await getState(deps.store, queue.keys, id) : first;
    const job = adminJob(queue, read.job, { state, view, dataSize: read.dataSize });
    return { job: fitted(job, deps.limits.maxResponseBytes) };
  });
}
