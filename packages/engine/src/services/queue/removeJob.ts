import { EchoMQError, removeJob as remove } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { namedJob, type QueueDeps } from './named-job.js';
import { withStates } from './with-states.js';

/** QueueService.RemoveJob. With its children all descendants go, unless one of them is active and nothing is forced. */
export function removeJob(deps: QueueDeps): QueueApi['removeJob'] {
  return writeMethod(deps, async (request) => {
    try {
      const job = namedJob(deps, request);
      const removal = {
        jobId: job.id,
        force: request.force === true,
        removeChildren: request.removeChildren === true,
      };
      await withStates(deps, job, [], () => remove(deps.store, job.queue.keys, removal));
      return { removed: true };
    } catch (error) {
      const missing = error instanceof EchoMQError && error.reason === 'JOB_NOT_FOUND';
      if (missing && request.allowMissing) return { removed: false };
      throw error;
    }
  });
}
