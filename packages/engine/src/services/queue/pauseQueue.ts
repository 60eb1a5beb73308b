import { pause } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.PauseQueue. A queue that is not yet known is paused from its first job on. */
export function pauseQueue(deps: QueueDeps): QueueApi['pauseQueue'] {
  return writeMethod(deps, async (request) => {
    await pause(deps.store, deps.names.resolve(request.queue).keys);
    return {};
  });
}
