import { InvalidRequest } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { uint } from '../../validation/uint.js';
import { writeMethod } from '../unary-method.js';
import type { GateDeps } from './named-job.js';
import { META } from './queue-meta.js';

/** QueueService.SetRateLimit. What started in the span under way counts against the new limit too. */
export function setRateLimit(deps: GateDeps): QueueApi['setRateLimit'] {
  return writeMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const { rateLimit } = request;
    if (!rateLimit) throw new InvalidRequest('rate_limit', 'is missing');
    const max = uint(rateLimit.max, 'rate_limit.max', { min: 1 }) ?? 0;
    const field = 'rate_limit.duration';
    const duration = durationMs(rateLimit.duration, field, { min: 1, max: 0xffff_ffff });
    if (duration === undefined) throw new InvalidRequest(field, 'is missing');
    const fields = [META.max, max, META.duration, duration];
    await deps.store.command('HSET', [queue.keys.meta, ...fields]);
    deps.onGateChange(queue);
    return {};
  });
}
