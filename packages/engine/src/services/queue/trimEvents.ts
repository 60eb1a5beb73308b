import type { QueueApi } from '../../service.js';
import { uint } from '../../validation/uint.js';
import { writeMethod } from '../unary-method.js';
import { knownQueue } from './known-queue.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.TrimEvents. Just so many stay as are asked for. */
export function trimEvents(deps: QueueDeps): QueueApi['trimEvents'] {
  return writeMethod(deps, async (request) => {
    const max = uint(request.maxEvents, 'max_events', { fallback: 0 });
    const { keys } = await knownQueue(deps, request.queue);
    const removed = await deps.store.command('XTRIM', [keys.events, 'MAXLEN', max]);
    return { removed: Number(removed) };
  });
}
