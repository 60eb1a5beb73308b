import type { QueueApi } from '../../service.js';
import { uint } from '../../validation/uint.js';
import { writeMethod } from '../unary-method.js';
import type { GateDeps } from './named-job.js';
import { META } from './queue-meta.js';
import { wakeIfWorkWaits } from './wake-if-work-waits.js';

/** QueueService.SetConcurrency. Slots that become free by it are noticed at once; jobs at work go on. */
export function setConcurrency(deps: GateDeps): QueueApi['setConcurrency'] {
  return writeMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const { meta } = queue.keys;
    const max = uint(request.max, 'max', { min: 1 });
    if (max === undefined) await deps.store.command('HDEL', [meta, META.concurrency]);
    else await deps.store.command('HSET', [meta, META.concurrency, max]);
    await wakeIfWorkWaits(deps, queue);
    deps.onGateChange(queue);
    return {};
  });
}
