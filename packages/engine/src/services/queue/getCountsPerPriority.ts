import { getCountsPerPriority as count, InvalidRequest } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { MAX_PRIORITY } from '../../validation/priority.js';
import { uint } from '../../validation/uint.js';
import { readMethod } from '../unary-method.js';
import type { QueueDeps } from './named-job.js';

const MOST = 1_000;

/** QueueService.GetCountsPerPriority. All counts are of one instant. */
export function getCountsPerPriority(deps: QueueDeps): QueueApi['getCountsPerPriority'] {
  return readMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    if (request.priorities.length > MOST) {
      throw new InvalidRequest('priorities', `must be at most ${MOST}`);
    }
    const priorities = request.priorities.map((priority, i) =>
      uint(priority, `priorities[${i}]`, { max: MAX_PRIORITY, fallback: 0 }),
    );
    const counts = await count(deps.store, queue.keys, priorities);
    return { counts: priorities.map((priority, i) => ({ priority, count: counts[i] ?? 0 })) };
  });
}
