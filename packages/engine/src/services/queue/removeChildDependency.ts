import { removeChildDependency as remove } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { jobNotFound } from './job-errors.js';
import { namedJob, type QueueDeps } from './named-job.js';

/**
 * QueueService.RemoveChildDependency. The parent is read first and named to the script: a job that gets another one in
 * between keeps that.
 */
export function removeChildDependency(deps: QueueDeps): QueueApi['removeChildDependency'] {
  return writeMethod(deps, async (request) => {
    const { queue, id } = namedJob(deps, request);
    const [exists, parentKey] = await Promise.all([
      deps.store.command('EXISTS', [queue.keys.job(id)]),
      deps.store.command('HGET', [queue.keys.job(id), 'parentKey']),
    ]);
    if (exists !== 1) throw jobNotFound(queue, id);
    if (parentKey === null || String(parentKey) === '') return { removed: false };
    const child = { jobId: id, parentKey: String(parentKey) };
    return { removed: await remove(deps.store, queue.keys, child) };
  });
}
