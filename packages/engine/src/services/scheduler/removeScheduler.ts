import { removeJobScheduler } from '@echomq/core';
import type { EngineDeps } from '../../ports.js';
import type { SchedulerApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { schedulerIdOf } from './scheduler-id.js';
import { schedulerNotFound } from './scheduler-message.js';

/** SchedulerService.RemoveScheduler. */
export function removeScheduler(
  deps: Pick<EngineDeps, 'store' | 'names' | 'clock'>,
): SchedulerApi['removeScheduler'] {
  return writeMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const schedulerId = schedulerIdOf(request.schedulerId);
    const removed = await removeJobScheduler(deps.store, queue.keys, schedulerId);
    if (!removed && !request.allowMissing) throw schedulerNotFound(queue, schedulerId);
    return { removed };
  });
}
