import type { QueueApi } from '../../service.js';
import { readMethod } from '../unary-method.js';
import { childrenPage } from './children-page.js';
import { jobNotFound } from './job-errors.js';
import { namedJob, type QueueDeps } from './named-job.js';

/** QueueService.ListChildren. */
export function listChildren(deps: QueueDeps): QueueApi['listChildren'] {
  return readMethod(deps, async (request) => {
    const job = namedJob(deps, request);
    return childrenPage(deps, job, request, async () => {
      const exists = await deps.store.command('EXISTS', [job.queue.keys.job(job.id)]);
      if (exists !== 1) throw jobNotFound(job.queue, job.id);
    });
  });
}
