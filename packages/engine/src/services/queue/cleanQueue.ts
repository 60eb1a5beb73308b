import { cleanJobsInSet, InvalidRequest } from '@echomq/core';
import { listedState } from '../../messages/job-state.js';
import { storeTime } from '../../scheduling/next-run.js';
import type { QueueApi } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { writeMethod } from '../unary-method.js';
import { bulkLimit } from './bulk-limit.js';
import { knownQueue } from './known-queue.js';
import type { QueueDeps } from './named-job.js';

/** Removals of one script, so that others are served in between. */
const STEP = 500;

/** QueueService.CleanQueue. How old a job is goes by the store's clock. */
export function cleanQueue(deps: QueueDeps): QueueApi['cleanQueue'] {
  return writeMethod(deps, async (request, context) => {
    const state = listedState(request.state);
    if (!state) throw new InvalidRequest('state', 'must be one in which jobs are listed');
    const ageMs = durationMs(request.olderThan, 'older_than', { fallback: 0 });
    const limit = bulkLimit(request.limit);
    const { keys } = await knownQueue(deps, request.queue);
    const olderThan = (await storeTime(deps.store)) - ageMs;
    const jobIds: string[] = [];
    while (jobIds.length < limit && !context.signal.aborted) {
      const step = Math.min(STEP, limit - jobIds.length);
      const ids = await cleanJobsInSet(deps.store, keys, { state, olderThan, limit: step });
      jobIds.push(...ids);
      if (ids.length < step) return { jobIds, count: jobIds.length, more: false };
    }
    return { jobIds, count: jobIds.length, more: true };
  });
}
