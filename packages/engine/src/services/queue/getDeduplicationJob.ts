import type { QueueApi } from '../../service.js';
import { boundedText } from '../../validation/text.js';
import { readMethod } from '../unary-method.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.GetDeduplicationJob. */
export function getDeduplicationJob(deps: QueueDeps): QueueApi['getDeduplicationJob'] {
  return readMethod(deps, async (request) => {
    const { keys } = deps.names.resolve(request.queue);
    const id = boundedText(request.deduplicationId, 'deduplication_id', { min: 1, max: 1_024 });
    const owner = await deps.store.command('GET', [keys.deduplication(id)]);
    return owner === null ? {} : { jobId: String(owner) };
  });
}
