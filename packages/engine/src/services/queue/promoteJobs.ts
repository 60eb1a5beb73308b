import { moveJobsToWait, promote } from '@echomq/core';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { bulkLimit } from './bulk-limit.js';
import { moveBulk } from './bulk-move.js';
import { knownQueue } from './known-queue.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.PromoteJobs, those first that are due first. */
export function promoteJobs(deps: QueueDeps): QueueApi['promoteJobs'] {
  return writeMethod(deps, async (request, context) => {
    const limit = bulkLimit(request.limit);
    const queue = await knownQueue(deps, request.queue);
    const { store } = deps;
    const { keys } = queue;
    const { nameFilter, cursor } = request;
    const state = 'delayed' as const;
    const movement = {
      queue,
      state,
      nameFilter,
      limit,
      cursor,
      query: [],
      begin: async () => ({
        maxScore: Number.POSITIVE_INFINITY,
        entries: Number(await store.command('ZCARD', [keys.delayed])),
      }),
      moveOne: (jobId: string) => promote(store, keys, jobId),
    };
    const moveFirst = async (_: number, most: number) =>
      (await moveJobsToWait(store, keys, { state, limit: most })).moved;
    const all = nameFilter === '' ? { ...movement, moveFirst } : movement;
    return moveBulk(deps, all, context.signal);
  });
}
