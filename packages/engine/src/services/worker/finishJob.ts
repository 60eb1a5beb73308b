import type { FetchReceipt } from '@echomq/core';
import {
  EmptyReason,
  type FetchNext,
  type FinishJobRequest,
  type FinishJobResponse,
  type WorkerInfo,
} from '@echomq/proto/messages';
import { type Delivery, fetchingWorker } from '../../dispatch/consumer.js';
import { newLeaseToken } from '../../dispatch/lease-tokens.js';
import type { QueueDispatch } from '../../dispatch/queue-dispatch.js';
import { withoutData } from '../../messages/sizes.js';
import { bodyOf } from '../../receipts/request-body.js';
import { type RequestReceipts, receiptsOf } from '../../receipts/request-receipts.js';
import type { CallContext } from '../../service.js';
import { leaseOf } from '../../validation/lease.js';
import { checkWorkerTexts } from '../../validation/worker-texts.js';
import { applyOutcome, type Ended, type Ending } from './apply-outcome.js';
import { fetchRequest } from './fetchJobs.js';
import { type FetchAnswer, type FetchRequest, fetchAgain, fetchJobs } from './polling.js';
import type { WorkerDeps } from './worker-deps.js';

/** FinishJob: ends the hold of a job and, if asked, takes the next in the same step. */
export async function finishJob(
  request: FinishJobRequest,
  context: CallContext,
  deps: WorkerDeps,
): Promise<FinishJobResponse> {
  checkWorkerTexts(request.worker);
  const { queue, jobId, token } = leaseOf(deps.names, request.lease);
  const dispatch = deps.dispatcher.of(queue);
  const next = nextRequest(request, deps);
  const { requestId, worker } = request;
  const body = () => bodyOf.finishJob(request);
  const lock = next && { lockMs: next.terms.lockMs };
  const receipts = receiptsOf({ rpc: 'FinishJob', requestId, worker, body, ...lock }, context);
  const receipt = receipts && { receipt: receipts.of(queue) };
  const ending = {
    lane: dispatch.lane,
    jobId,
    token,
    item: request,
    path: '',
    ...lock,
    ...receipt,
  };
  const { ended, taken } = await endAndTake(dispatch, { ending, next, fetches: true }, deps);
  const answer = next
    ? await fetchAfter(dispatch, { next, ended, taken, receipts }, { deps, context })
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
  replayed: false,
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

/**
 * Applies an outcome and takes note of what its script fetched. What an earlier call of the request has brought comes along
 * also where this one `fetches` nothing.
 */
export async function endAndTake(
  dispatch: QueueDispatch,
  asked: {
    readonly ending: Ending;
    readonly next: FetchRequest | undefined;
    readonly fetches: boolean;
  },
  deps: WorkerDeps,
): Promise<{ ended: Ended; taken: Delivery | undefined }> {
  const { ending, next, fetches } = asked;
  const worker =
    next && fetches && !deps.draining()
      ? fetchingWorker(next.terms, deps.maxMetricsDataPoints)
      : undefined;
  const asking = dispatch.asking();
  const ended = await applyOutcome(ending, deps, worker);
  const terms = next && { token: '', lockDuration: next.terms.lockMs };
  const lease = worker ?? terms;
  const taken =
    lease && ended.next
      ? await dispatch.fetched(ended.next, lease, asking, ended.guard)
      : undefined;
  return { ended, taken };
}

/** What else may be taken after a finish. A failure here cannot undo it: the answer is then empty. */
export async function fetchAfter(
  dispatch: QueueDispatch,
  found: {
    readonly next: FetchRequest;
    readonly ended: Ended;
    readonly taken: Delivery | undefined;
    readonly receipts: RequestReceipts | undefined;
  },
  call: { readonly deps: WorkerDeps; readonly context: CallContext },
): Promise<FetchAnswer> {
  const { next, ended, taken, receipts } = found;
  const brought = taken ? [taken] : [];
  const receipt = receipts?.ofFetch(dispatch.queue);
  if (receipt && ended.result.replayed) {
    return nextAgain(dispatch, { next, taken: brought, receipt }, call);
  }
  // The script has looked, and there was nothing: only a wait can bring more.
  if (foundNothing(ended.next) && next.waitMs === 0) {
    const reason = ended.next?.kind === 'limited' ? EmptyReason.RATE_LIMITED : EmptyReason.EMPTY;
    return { ...NOTHING_ASKED, emptyReason: reason };
  }
  const noted = receipt && { receipt: { ...receipt, call: newLeaseToken() } };
  try {
    return await fetchJobs(dispatch, { ...next, ...noted, taken: brought }, call);
  } catch {
    return { ...NOTHING_ASKED, emptyReason: EmptyReason.EMPTY };
  }
}

/** Whether the script of an end has looked for the next job and there was none to be had. */
export function foundNothing(next: Ended['next']): boolean {
  return next?.kind === 'idle' || next?.kind === 'limited';
}

/** The next jobs of a finish that comes again: those that are still held, and no others. */
export async function nextAgain(
  dispatch: QueueDispatch,
  found: {
    readonly next: FetchRequest;
    /** Those that came with the ends. */
    readonly taken: readonly Delivery[];
    readonly receipt: Omit<FetchReceipt, 'call' | 'index'>;
  },
  call: { readonly deps: WorkerDeps; readonly context: CallContext },
): Promise<FetchAnswer> {
  const { next, taken, receipt } = found;
  const more = next.maxJobs > taken.length || next.waitMs > 0;
  const rest = more ? await fetchAgain(dispatch, next, receipt, call) : undefined;
  const later = rest?.jobs ?? [];
  // An item that ends only now may have brought one more than were asked for.
  const fitting = taken.slice(0, Math.max(0, next.maxJobs - later.length));
  const beyond = taken.slice(fitting.length);
  if (beyond.length > 0) void dispatch.putBack(beyond);
  const takeBack = () => void dispatch.putBackUnlessAskedFor(fitting);
  if (call.context.signal.aborted) takeBack();
  else if (fitting.length > 0) call.context.onLost?.(takeBack);
  const jobs = [...fitting.map(({ job }) => job), ...later];
  const [first] = fitting;
  if (first && first.bytes > next.maxBytes) jobs[0] = withoutData(first.job);
  const emptyReason = jobs.length > 0 ? EmptyReason.UNSPECIFIED : EmptyReason.EMPTY;
  return { jobs, emptyReason, retryAfter: undefined, replayed: true };
}
