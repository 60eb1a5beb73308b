import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import type { GateDeps } from './named-job.js';
import { META } from './queue-meta.js';
import { wakeIfWorkWaits } from './wake-if-work-waits.js';

/**
 * QueueService.ClearRateLimit. A queue that is held, by the limit or by hand, goes on at once through this server; others
 * look at a held queue again when its time is up, every 30 s at the latest.
 */
export function clearRateLimit(deps: GateDeps): QueueApi['clearRateLimit'] {
  return writeMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    if (!request.keepLimit) {
      await deps.store.command('HDEL', [queue.keys.meta, META.max, META.duration]);
    }
    await deps.store.command('DEL', [queue.keys.limiter]);
    await wakeIfWorkWaits(deps, queue);
    deps.onGateChange(queue);
    return {};
  });
}
