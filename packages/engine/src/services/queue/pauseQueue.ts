import { pause } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import type { GateDeps } from './named-job.js';

/** QueueService.PauseQueue. A queue that is not yet known is paused from its first job on. */
export function pauseQueue(deps: GateDeps): QueueApi['pauseQueue'] {
  return writeMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    await pause(deps.store, queue.keys);
    deps.onGateChange(queue);
    return {};
  });
}
