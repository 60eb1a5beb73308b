import { msToDuration } from '@echomq/proto/messages';
import type { QueueApi } from '../../service.js';
import { uint } from '../../validation/uint.js';
import { readMethod } from '../unary-method.js';
import type { QueueDeps } from './named-job.js';
import { META, metaCount } from './queue-meta.js';

/** What the limiter's counter holds while a queue is held by hand: more than any limit. */
export const HELD_BY_HAND = Number.MAX_SAFE_INTEGER;

/** QueueService.GetRateLimit. */
export function getRateLimit(deps: QueueDeps): QueueApi['getRateLimit'] {
  return readMethod(deps, async (request) => {
    const { keys } = deps.names.resolve(request.queue);
    const asked = uint(request.maxJobs, 'max_jobs', { min: 1 });
    const [limits, started, left] = await Promise.all([
      deps.store.command('HMGET', [keys.meta, META.max, META.duration]),
      deps.store.command('GET', [keys.limiter]),
      deps.store.command('PTTL', [keys.limiter]),
    ]);
    const [max, duration] = (Array.isArray(limits) ? limits : []).map(metaCount);
    const limited = max !== undefined && duration !== undefined;
    const held = Number(left) > 0 && Number(String(started)) >= (asked ?? max ?? HELD_BY_HAND);
    return {
      rateLimit: limited ? { max, duration: msToDuration(duration) } : undefined,
      ttl: held ? msToDuration(Number(left)) : undefined,
    };
  });
}
