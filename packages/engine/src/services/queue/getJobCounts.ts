import { getCounts, type JobCounts } from '@echomq/core';
import { jobState, type ListedState } from '../../messages/job-state.js';
import type { QueueApi } from '../../service.js';
import { instantMs } from '../../validation/duration.js';
import { readMethod } from '../unary-method.js';
import { listedStates } from './listed-states.js';
import type { QueueDeps } from './named-job.js';

/** QueueService.GetJobCounts. All counts are of one instant. */
export function getJobCounts(deps: QueueDeps): QueueApi['getJobCounts'] {
  return readMethod(deps, async (request) => {
    const queue = deps.names.resolve(request.queue);
    const states = listedStates(request.states);
    const { dueBefore } = request;
    const before = dueBefore && instantMs(dueBefore, 'due_before');
    const counts = await getCounts(deps.store, queue.keys, before);
    return {
      counts: states.map((state) => ({ state: jobState(state), count: countOf(counts, state) })),
    };
  });
}

function countOf(counts: JobCounts, state: ListedState): number {
  return state === 'waiting-children' ? counts.waitingChildren : counts[state];
}
