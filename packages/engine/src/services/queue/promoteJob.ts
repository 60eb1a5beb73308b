import { promote } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { namedJob, type QueueDeps } from './named-job.js';
import { withStates } from './with-states.js';

/** QueueService.PromoteJob. */
export function promoteJob(deps: QueueDeps): QueueApi['promoteJob'] {
  return writeMethod(deps, async (request) => {
    const job = namedJob(deps, request);
    await withStates(deps, job, ['delayed'], () => promote(deps.store, job.queue.keys, job.id));
    return {};
  });
}
