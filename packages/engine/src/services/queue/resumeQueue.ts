import { resume } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.ResumeQueue. Jobs that a BullMQ 5 peer parked come back first, in steps. */
export function resumeQueue(deps: QueueDeps): QueueApi['resumeQueue'] {
  return writeMethod(deps, async (request) => {
    await resume(deps.store, deps.names.resolve(request.queue).keys);
    return {};
  });
}
