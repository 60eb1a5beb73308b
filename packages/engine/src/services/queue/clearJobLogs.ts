import type { QueueApi } from '../../service.js';
import { uint } from '../../validation/uint.js';
import { writeMethod } from '../unary-method.js';
import { jobNotFound } from './job-errors.js';
import { namedJob, type QueueDeps } from './named-job.js';

/** QueueService.ClearJobLogs. Plain commands: neither makes a key, so that a job removed in between leaves none. */
export function clearJobLogs(deps: QueueDeps): QueueApi['clearJobLogs'] {
  return writeMethod(deps, async (request) => {
    const { queue, id } = namedJob(deps, request);
    const keep = uint(request.keep, 'keep', { fallback: 0 });
    const key = queue.keys.logs(id);
    const [exists, length] = (
      await Promise.all([
        deps.store.command('EXISTS', [queue.keys.job(id)]),
        deps.store.command('LLEN', [key]),
      ])
    ).map(Number) as [number, number];
    if (exists === 0) throw jobNotFound(queue, id);
    if (keep === 0) await deps.store.command('DEL', [key]);
    else await deps.store.command('LTRIM', [key, -keep, -1]);
    return { removed: Math.max(0, length - keep) };
  });
}
