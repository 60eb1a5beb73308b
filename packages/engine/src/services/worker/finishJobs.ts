import { InvalidRequest } from '@echomq/core';
import type {
  FinishItem,
  FinishItemResult,
  FinishJobsRequest,
  FinishJobsResponse,
} from '@echomq/proto/messages';
import type { QueueDispatch } from '../../dispatch/queue-dispatch.js';
import { statusOf } from '../../messages/status.js';
import type { CallContext } from '../../service.js';
import { leaseOf } from '../../validation/lease.js';
import { applyOutcome } from './apply-outcome.js';
import { NOTHING_ASKED, nextRequest } from './finishJob.js';
import { fetchJobs } from './polling.js';
import type { WorkerDeps } from './worker-deps.js';

/** FinishJobs: ends the hold of many jobs, each by itself, all in one turn. */
export async function finishJobs(
  request: FinishJobsRequest,
  context: CallContext,
  deps: WorkerDeps,
): Promise<FinishJobsResponse> {
  const { items } = request;
  if (items.length === 0 || items.length > deps.limits.maxBatch) {
    throw new InvalidRequest('items', `must have 1 to ${deps.limits.maxBatch}`);
  }
  const next = nextRequest(request, deps);
  const ends = await Promise.all(items.map((item, index) => finishItem(item, index, deps)));
  const dispatch = ends.find(({ dispatch }) => dispatch)?.dispatch;
  // The next jobs come from the queue of the first item that has one.
  const answer =
    next && dispatch
      ? await fetchJobs(dispatch, next, { deps, context }).catch(() => NOTHING_ASKED)
      : NOTHING_ASKED;
  return {
    results: ends.map(({ result }) => result),
    next: answer.jobs,
    emptyReason: answer.emptyReason,
    retryAfter: answer.retryAfter,
    directive: undefined,
  };
}

async function finishItem(
  item: FinishItem,
  index: number,
  deps: WorkerDeps,
): Promise<{ result: FinishItemResult; dispatch?: QueueDispatch }> {
  let dispatch: QueueDispatch | undefined;
  try {
    const path = `items[${index}].`;
    const { queue, jobId, token } = leaseOf(deps.names, item.lease, `${path}lease`);
    dispatch = deps.dispatcher.of(queue);
    const { result } = await applyOutcome({ lane: dispatch.lane, jobId, token, item, path }, deps);
    return { result: { outcome: { $case: 'result', value: result } }, dispatch };
  } catch (error) {
    const result = { outcome: { $case: 'error', value: statusOf(error) } } as const;
    return dispatch ? { result, dispatch } : { result };
  }
}
