import { InvalidRequest, obliterate } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { namedError } from '../named-error.js';
import { writeMethod } from '../unary-method.js';
import { bulkLimit } from './bulk-limit.js';
import { knownQueue } from './known-queue.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.ObliterateQueue. */
export function obliterateQueue(deps: QueueDeps): QueueApi['obliterateQueue'] {
  return writeMethod(deps, async (request) => {
    if (request.confirmQueue !== request.queue) {
      throw new InvalidRequest('confirm_queue', 'must equal queue');
    }
    const limit = bulkLimit(request.limit);
    const queue = await knownQueue(deps, request.queue);
    const force = request.force === true;
    const done = await obliterate(deps.store, queue.keys, force, limit).catch((error) => {
      throw namedError(error, queue);
    });
    return { done };
  });
}
