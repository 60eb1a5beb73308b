import { InvalidRequest, moveJobsToWait, reprocessJob } from '@echomq/core';
import { JobState } from '@echomq/proto/messages';
import { storeTime } from '../../scheduling/next-run.js';
import type { QueueApi } from '../../service.js';
import { durationMs } from '../../validation/duration.js';
import { writeMethod } from '../unary-method.js';
import { bulkLimit } from './bulk-limit.js';
import { moveBulk } from './bulk-move.js';
import { knownQueue } from './known-queue.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.RetryJobs. */
export function retryJobs(deps: QueueDeps): QueueApi['retryJobs'] {
  return writeMethod(deps, async (request, context) => {
    const state = finishedState(request.state);
    const ageMs = durationMs(request.olderThan, 'older_than', { fallback: 0 });
    const limit = bulkLimit(request.limit);
    const queue = await knownQueue(deps, request.queue);
    const { store } = deps;
    const { keys } = queue;
    const { nameFilter, cursor } = request;
    const resetAttempts = request.resetAttempts === true;
    const movement = {
      queue,
      state,
      nameFilter,
      limit,
      cursor,
      query: [ageMs, resetAttempts],
      begin: async () => {
        const maxScore = (await storeTime(store)) - ageMs;
        const entries = await store.command('ZCOUNT', [keys[state], '-inf', maxScore]);
        return { maxScore, entries: Number(entries) };
      },
      moveOne: (jobId: string) => reprocessJob(store, keys, { jobId, state, resetAttempts }),
    };
    const moveFirst = async (maxScore: number, most: number) =>
      (await moveJobsToWait(store, keys, { state, limit: most, maxScore })).moved;
    const apart = nameFilter !== '' || resetAttempts;
    return moveBulk(deps, apart ? movement : { ...movement, moveFirst }, context.signal);
  });
}

function finishedState(state: JobState): 'completed' | 'failed' {
  switch (state) {
    case undefined:
    case JobState.UNSPECIFIED:
    case JobState.FAILED:
      return 'failed';
    case JobState.COMPLETED:
      return 'completed';
    default:
      throw new InvalidRequest('state', 'must be COMPLETED or FAILED');
  }
}
