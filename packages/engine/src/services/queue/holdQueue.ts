import { InvalidRequest } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { writeMethod } from '../unary-method.js';
import { HELD_BY_HAND } from './getRateLimit.js';
import type { GateDeps } from './named-job.js';

/** QueueService.HoldQueue, as BullMQ's `rateLimit`: the limiter's counter says that more have begun than ever may. */
export function holdQueue(deps: GateDeps): QueueApi['holdQueue'] {
  return writeMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const ms = durationMs(request.duration, 'duration', { min: 1, max: 0xffff_ffff });
    if (ms === undefined) throw new InvalidRequest('duration', 'is missing');
    await deps.store.command('SET', [queue.keys.limiter, HELD_BY_HAND, 'PX', ms]);
    deps.onGateChange(queue);
    return {};
  });
}
