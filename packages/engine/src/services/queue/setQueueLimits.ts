import type { QueueApi } from '../../service.js';
import { uint } from '../../validation/uint.js';
import { writeMethod } from '../unary-method.js';
import type { QueueDeps } from './named-job.js';
import { META } from './queue-meta.js';

/** QueueService.SetQueueLimits. What is absent is no longer bounded by the queue. */
export function setQueueLimits(deps: QueueDeps): QueueApi['setQueueLimits'] {
  return writeMethod(deps, async (request) => {
    const { meta } = deps.names.resolve(request.queue).keys;
    const { limits } = request;
    const bounds: [field: string, value: number | undefined][] = [
      [META.maxPayloadBytes, uint(limits?.maxPayloadBytes, 'limits.max_payload_bytes')],
      [META.maxJobs, uint(limits?.maxJobs, 'limits.max_jobs')],
      [META.maxEvents, uint(limits?.maxEvents, 'limits.max_events')],
    ];
    const set = bounds.filter(([, value]) => value !== undefined) as [string, number][];
    const unset = bounds.filter(([, value]) => value === undefined).map(([field]) => field);
    if (set.length > 0) await deps.store.command('HSET', [meta, ...set.flat()]);
    if (unset.length > 0) await deps.store.command('HDEL', [meta, ...unset]);
    return {};
  });
}
