import {
  EmptyReason,
  type FetchNext,
  type FinishJobRequest,
  type FinishJobResponse,
  type WorkerInfo,
} from '@echomq/proto/messages';
import { type Delivery, fetchingWorker } from '../../dispatch/consumer.js';
import type { QueueDispatch } from '../../dispatch/queue-dispatch.js';
import type { CallContext } from '../../service.js';
import { leaseOf } from '../../validation/lease.js';
import { applyOutcome, type Ended, type Ending } from './apply-outcome.js';
import { fetchRequest } from './fetchJobs.js';
import { type FetchAnswer, type FetchRequest, fetchJobs } from './polling.js';
import type { WorkerDeps } from './worker-deps.js';

/** FinishJob: ends the hold of a job and, if asked, takes the next in the same step. */
export async function finishJob(
  request: FinishJobRequest,
  context: CallContext,
  deps: WorkerDeps,
): Promise<FinishJobResponse> {
  const { queue, jobId, token } = leaseOf(deps.names, request.lease);
  const dispatch = deps.dispatcher.of(queue);
  const next = nextRequest(request, deps);
  const ending = { lane: dispatch.lane, jobId, token, item: request, path: '' };
  const { ended, taken } = await endAndTake(dispatch, { ending, next }, deps);
  const answer = next
    ? await fetchAfter(dispatch, { next, ended, taken }, { deps, context })
    : NOTHING_ASKED;
  return {
    result: ended.result,
    next: answer.jobs,
    emptyReason: answer.emptyReason,
    retryAfter: answer.retryAfter,
    directive: undefined,
  };
}

/** The answer where no next job was asked for. */
export const NOTHING_ASKED: FetchAnswer = {
  jobs: [],
  emptyReason: EmptyReason.UNSPECIFIED,
  retryAfter: undefined,
};

/** The next jobs that a finish asks for, if any, checked. */
export function nextRequest(
  request: { readonly fetchNext: FetchNext | undefined; readonly worker: WorkerInfo | undefined },
  deps: WorkerDeps,
): FetchRequest | undefined {
  if (!request.fetchNext) return undefined;
  const given = { field: 'fetch_next', name: request.worker?.name ?? '' };
  return fetchRequest(request.fetchNext, given, deps.limits);
}

/** Applies an outcome and takes note of what its script fetched. */
export async function endAndTake(
  dispatch: QueueDispatch,
  asked: { readonly ending: Ending; readonly next: FetchRequest | undefined },
  deps: WorkerDeps,
): Promise<{ ended: Ended; taken: Delivery | undefined }> {
  const { ending, next } = asked;
  const worker =
    next && !deps.draining() ? fetchingWorker(next.terms, deps.maxMetricsDataPoints) : undefined;
  const asking = dispatch.events;
  const ended = await applyOutcome(worker ? { ...ending, next: worker } : ending, deps);
  const taken =
    worker && ended.next ? await dispatch.fetched(ended.next, worker, asking) : undefined;
  return { ended, taken };
}

/** What else may be taken after a finish. A failure here cannot undo it: the answer is then empty. */
export async function fetchAfter(
  dispatch: QueueDispatch,
  found: {
    readonly next: FetchRequest;
    readonly ended: Ended;
    readonly taken: Delivery | undefined;
  },
  call: { readonly deps: WorkerDeps; readonly context: CallContext },
): Promise<FetchAnswer> {
  const { next, ended, taken } = found;
  // The script has looked, and there was nothing: only a wait can bring more.
  const looked = ended.next !== undefined && ended.next.kind !== 'job';
  if (looked && next.waitMs === 0) {
    const reason = ended.next?.kind === 'limited' ? EmptyReason.RATE_LIMITED : EmptyReason.EMPTY;
    return { jobs: [], emptyReason: reason, retryAfter: undefined };
  }
  try {
    return await fetchJobs(dispatch, taken ? { ...next, taken } : next, call);
  } catch {
    return { jobs: [], emptyReason: EmptyReason.EMPTY, retryAfter: undefined };
  }
}
