import { InvalidRequest } from '@echomq/core';
import type {
  FinishItem,
  FinishItemResult,
  FinishJobsRequest,
  FinishJobsResponse,
} from '@echomq/proto/messages';
import type { Delivery } from '../../dispatch/consumer.js';
import { newLeaseToken } from '../../dispatch/lease-tokens.js';
import type { QueueDispatch } from '../../dispatch/queue-dispatch.js';
import { statusOf } from '../../messages/status.js';
import { refuseReused } from '../../receipts/refuse-reused.js';
import { bodyOf } from '../../receipts/request-body.js';
import { type RequestReceipts, receiptsOf } from '../../receipts/request-receipts.js';
import type { CallContext } from '../../service.js';
import { leaseOf } from '../../validation/lease.js';
import { checkWorkerTexts } from '../../validation/worker-texts.js';
import type { Ended } from './apply-outcome.js';
import { endAndTake, foundNothing, NOTHING_ASKED, nextAgain, nextRequest } from './finishJob.js';
import { type FetchAnswer, type FetchRequest, fetchJobs } from './polling.js';
import type { WorkerDeps } from './worker-deps.js';

/** FinishJobs: ends the hold of many jobs, each by itself, all in one turn, and takes the next ones in the same step. */
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
  const refill = next && refillOf(items, next);
  const ends = await Promise.all(
    items.map((item, index) => finishItem(item, { index, receipts, ...lock, refill }, deps)),
  );
  refuseReused(ends);
  // Where nothing was finished no slot is free: nothing is fetched.
  const dispatch = ends.find(({ result }) => result.outcome?.$case === 'result')?.dispatch;
  const answer =
    next && dispatch
      ? await fetchRest(dispatch, { next, ends, receipts }, { deps, context })
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
  readonly next?: Ended['next'];
  /** The job that its end has brought. */
  readonly taken?: Delivery | undefined;
  readonly error?: unknown;
}

/** The next jobs that ends may still bring. */
interface Refill {
  readonly next: FetchRequest;
  /** How many; absent before the first end, which knows the queue. */
  left?: number;
}

/**
 * What ends of a request may bring in the same step; `undefined` where all is fetched after them: where they belong to
 * several queues, and only the first that ends one says whose jobs come next, or where one holds its queue or gives its job back.
 */
function refillOf(items: readonly FinishItem[], next: FetchRequest): Refill | undefined {
  const queue = items[0]?.lease?.queue;
  const plain = items.every(({ lease, outcome }) => {
    const kind = outcome?.kind?.$case;
    return lease?.queue === queue && (kind === 'complete' || kind === 'fail');
  });
  return plain ? { next } : undefined;
}

/** How many jobs of the size of the last one an answer holds; one where none was seen yet. */
function fitting({ lastBytes }: QueueDispatch, { maxBytes }: FetchRequest): number {
  return lastBytes === undefined ? 1 : Math.max(1, Math.floor(maxBytes / lastBytes));
}

/** What the ends have brought and what else there is. A failure here cannot undo the ends: the answer is then empty. */
async function fetchRest(
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
  const taken = ends.flatMap((end) => end.taken ?? []);
  const again = ends.some(({ result: { outcome } }) => {
    return outcome?.$case === 'result' && outcome.value.replayed;
  });
  // What is held already would be left alone: the caller asks once more.
  if (receipt && again) return nextAgain(dispatch, { next, taken, receipt }, call);
  try {
    const noted = receipt && { receipt: { ...receipt, call: newLeaseToken() } };
    // Where the last end has found nothing there is nothing to add to what the others brought.
    const looked = taken.length > 0 && foundNothing(ends.at(-1)?.next);
    const maxJobs = looked ? taken.length : next.maxJobs;
    return await fetchJobs(dispatch, { ...next, ...noted, maxJobs, taken }, call);
  } catch {
    return NOTHING_ASKED;
  }
}

async function finishItem(
  item: FinishItem,
  given: {
    readonly index: number;
    readonly receipts: RequestReceipts | undefined;
    readonly lockMs?: number;
    readonly refill: Refill | undefined;
  },
  deps: WorkerDeps,
): Promise<ItemEnd> {
  const { index, receipts, refill, ...lock } = given;
  let dispatch: QueueDispatch | undefined;
  try {
    const path = `items[${index}].`;
    const { queue, jobId, token } = leaseOf(deps.names, item.lease, `${path}lease`);
    dispatch = deps.dispatcher.of(queue);
    const receipt = receipts && { receipt: receipts.ofPart(queue, index) };
    const ending = { lane: dispatch.lane, jobId, token, item, path, ...lock, ...receipt };
    const fetches = refill !== undefined && reserve(refill, dispatch);
    const asked = { ending, next: refill?.next, fetches };
    const { ended, taken } = await endAndTake(dispatch, asked, deps);
    const result = { outcome: { $case: 'result', value: ended.result } } as const;
    return { result, dispatch, next: ended.next, taken };
  } catch (error) {
    const result = { outcome: { $case: 'error', value: statusOf(error) } } as const;
    return dispatch ? { result, dispatch, error } : { result, error };
  }
}

/** Reserves the next job that an end may bring, while there are some to be had. */
function reserve(refill: Refill, dispatch: QueueDispatch): boolean {
  const { next, left = Math.min(next.maxJobs, fitting(dispatch, next)) } = refill;
  refill.left = Math.max(0, left - 1);
  return left > 0;
}
