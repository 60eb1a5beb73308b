import { InvalidRequest } from '@echomq/core';
import {
  EmptyReason,
  type FinishItem,
  type FinishItemResult,
  type FinishJobsRequest,
  type FinishJobsResponse,
} from '@echomq/proto/messages';
import { newLeaseToken } from '../../dispatch/lease-tokens.js';
import type { QueueDispatch } from '../../dispatch/queue-dispatch.js';
import { statusOf } from '../../messages/status.js';
import { refuseReused } from '../../receipts/refuse-reused.js';
import { bodyOf } from '../../receipts/request-body.js';
import { type RequestReceipts, receiptsOf } from '../../receipts/request-receipts.js';
import type { CallContext } from '../../service.js';
import { leaseOf } from '../../validation/lease.js';
import { checkWorkerTexts } from '../../validation/worker-texts.js';
import { applyOutcome } from './apply-outcome.js';
import { NOTHING_ASKED, nextRequest } from './finishJob.js';
import { type FetchAnswer, type FetchRequest, fetchAgain, fetchJobs } from './polling.js';
import type { WorkerDeps } from './worker-deps.js';

/** The next jobs of a request that comes again, where none is held any more. */
const NOTHING_LEFT: FetchAnswer = { ...NOTHING_ASKED, emptyReason: EmptyReason.EMPTY };

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
  checkWorkerTexts(request.worker);
  const next = nextRequest(request, deps);
  const { requestId, worker } = request;
  const body = () => bodyOf.finishJobs(request);
  const lock = next && { lockMs: next.terms.lockMs };
  const receipts = receiptsOf({ rpc: 'FinishJobs', requestId, worker, body, ...lock }, context);
  const ends = await Promise.all(
    items.map((item, index) => finishItem(item, { index, receipts }, deps)),
  );
  refuseReused(ends);
  // Where nothing was finished no slot is free: nothing is fetched.
  const dispatch = ends.find(({ result }) => result.outcome?.$case === 'result')?.dispatch;
  const answer =
    next && dispatch
      ? await fetchNext(dispatch, { next, ends, receipts }, { deps, context })
      : NOTHING_ASKED;
  return {
    results: ends.map(({ result }) => result),
    next: answer.jobs,
    emptyReason: answer.emptyReason,
    retryAfter: answer.retryAfter,
    directive: undefined,
  };
}

/** What became of an item. */
interface ItemEnd {
  readonly result: FinishItemResult;
  readonly dispatch?: QueueDispatch;
  readonly error?: unknown;
}

/** A failure here cannot undo the ends: the answer is then empty. */
async function fetchNext(
  dispatch: QueueDispatch,
  found: {
    readonly next: FetchRequest;
    readonly ends: readonly ItemEnd[];
    readonly receipts: RequestReceipts | undefined;
  },
  call: { readonly deps: WorkerDeps; readonly context: CallContext },
): Promise<FetchAnswer> {
  const { next, ends, receipts } = found;
  const receipt = receipts?.ofFetch(dispatch.queue);
  const again = ends.some(({ result: { outcome } }) => {
    return outcome?.$case === 'result' && outcome.value.replayed;
  });
  try {
    if (!receipt) return await fetchJobs(dispatch, next, call);
    if (again) return (await fetchAgain(dispatch, next, receipt, call)) ?? NOTHING_LEFT;
    const noted = { ...next, receipt: { ...receipt, call: newLeaseToken() } };
    return await fetchJobs(dispatch, noted, call);
  } catch {
    return NOTHING_ASKED;
  }
}

async function finishItem(
  item: FinishItem,
  { index, receipts }: { readonly index: number; readonly receipts: RequestReceipts | undefined },
  deps: WorkerDeps,
): Promise<ItemEnd> {
  let dispatch: QueueDispatch | undefined;
  try {
    const path = `items[${index}].`;
    const { queue, jobId, token } = leaseOf(deps.names, item.lease, `${path}lease`);
    dispatch = deps.dispatcher.of(queue);
    const receipt = receipts && { receipt: receipts.ofPart(queue, index) };
    const ending = { lane: dispatch.lane, jobId, token, item, path, ...receipt };
    const { result } = await applyOutcome(ending, deps);
    return { result: { outcome: { $case: 'result', value: result } }, dispatch };
  } catch (error) {
    const result = { outcome: { $case: 'error', value: statusOf(error) } } as const;
    return dispatch ? { result, dispatch, error } : { result, error };
  }
}
