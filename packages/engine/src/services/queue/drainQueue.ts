import { drain } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { knownQueue } from './known-queue.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.DrainQueue. The next runs of schedulers stay. */
export function drainQueue(deps: QueueDeps): QueueApi['drainQueue'] {
  return writeMethod(deps, async (request) => {
    const { keys } = await knownQueue(deps, request.queue);
    return { removed: await drain(deps.store, keys, request.includeDelayed === true) };
  });
}
