import { removeUnprocessedChildren as remove } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { namedJob, type QueueDeps } from './named-job.js';

/** QueueService.RemoveUnprocessedChildren. Children that run, or that have failed, stay. */
export function removeUnprocessedChildren(deps: QueueDeps): QueueApi['removeUnprocessedChildren'] {
  return writeMethod(deps, async (request) => {
    const { queue, id } = namedJob(deps, request);
    return { removed: await remove(deps.store, queue.keys, id) };
  });
}
