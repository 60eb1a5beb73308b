import { removeDeduplicationKey as remove } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { boundedText } from '../../validation/text.js';
import { writeMethod } from '../unary-method.js';
import { knownQueue } from './known-queue.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.RemoveDeduplicationKey. The job that held the id stays. */
export function removeDeduplicationKey(deps: QueueDeps): QueueApi['removeDeduplicationKey'] {
  return writeMethod(deps, async (request) => {
    const id = boundedText(request.deduplicationId, 'deduplication_id', { min: 1, max: 1_024 });
    const { keys } = await knownQueue(deps, request.queue);
    return { removed: await remove(deps.store, keys, id) };
  });
}
