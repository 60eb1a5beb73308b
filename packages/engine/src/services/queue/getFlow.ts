import { InvalidRequest } from '@echomq/core';
import { JobView } from '@echomq/proto/messages';
import type { QueueApi } from '../../service.js';
import { jobId } from '../../validation/job-id.js';
import { uint } from '../../validation/uint.js';
import { readMethod } from '../unary-method.js';
import { flowTree } from './flow-tree.js';
import { jobNotFound, refuseKeyName } from './job-errors.js';
import type { QueueDeps } from './named-job.js';
import { shownView } from './stored-jobs.js';

const MAX_DEPTH = 32;
const MAX_CHILDREN = 1_000;

/**
 * QueueService.GetFlow. The parts of the tree are read one after the other and may have moved meanwhile; those in queues
 * that the caller may not read are left out.
 */
export function getFlow(deps: QueueDeps): QueueApi['getFlow'] {
  return readMethod(deps, async (request, context) => {
    const { job } = request;
    if (!job) throw new InvalidRequest('job', 'is missing');
    const queue = deps.names.resolve(job.queue, 'job.queue');
    const id = jobId(job.jobId, 'job.job_id');
    refuseKeyName(queue, id);
    const query = {
      depth: uint(request.depth, 'depth', { max: MAX_DEPTH, fallback: 0 }) || 10,
      maxChildren:
        uint(request.maxChildren, 'max_children', { max: MAX_CHILDREN, fallback: 0 }) || 20,
      view: shownView(request.view, JobView.BASIC),
      mayRead: (name: string) => context.mayRead?.(name) ?? true,
    };
    const root = await flowTree(deps, { queue, id }, query);
    if (!root) throw jobNotFound(queue, id);
    return { root };
  });
}
