import type { FetchJobsRequest, FetchJobsResponse, FetchNext } from '@echomq/proto/messages';
import { newLeaseToken } from '../../dispatch/lease-tokens.js';
import type { QueueDispatch } from '../../dispatch/queue-dispatch.js';
import type { Limits } from '../../limits.js';
import { bodyOf } from '../../receipts/request-body.js';
import { receiptsOf } from '../../receipts/request-receipts.js';
import type { CallContext } from '../../service.js';
import { fetchTerms } from '../../sessions/terms.js';
import { durationMs } from '../../validation/duration.js';
import { uint } from '../../validation/uint.js';
import { checkWorkerTexts } from '../../validation/worker-texts.js';
import { noteCaller } from './note-caller.js';
import {
  type FetchAnswer,
  type FetchRequest,
  fetchJobs as fetch,
  fetchAgain,
  refuseWhileDraining,
} from './polling.js';
import type { WorkerDeps } from './worker-deps.js';

/** FetchJobs: takes jobs, or waits for the first. */
export async function fetchJobs(
  request: FetchJobsRequest,
  context: CallContext,
  deps: WorkerDeps,
): Promise<FetchJobsResponse> {
  const queue = deps.names.resolve(request.queue);
  checkWorkerTexts(request.worker);
  const asked = fetchRequest(request, { field: '', name: request.worker?.name ?? '' }, deps.limits);
  refuseWhileDraining(deps);
  const { worker } = request;
  const told = request.held.length > 0 ? { held: request.held.map(({ jobId }) => jobId) } : {};
  const heard = noteCaller(deps, context, { worker, queue, ...told });
  try {
    const dispatch = deps.dispatcher.of(queue);
    const answer = await fetchOnce(dispatch, { request, asked }, { deps, context });
    return { ...answer, directive: undefined };
  } finally {
    heard();
  }
}

/** A request with an id takes jobs once; when it comes again it gets those that it still holds. */
async function fetchOnce(
  dispatch: QueueDispatch,
  { request, asked }: { readonly request: FetchJobsRequest; readonly asked: FetchRequest },
  call: { readonly deps: WorkerDeps; readonly context: CallContext },
): Promise<FetchAnswer> {
  const { requestId, worker } = request;
  const body = () => bodyOf.fetchJobs(request);
  const { lockMs } = asked.terms;
  const receipts = receiptsOf({ rpc: 'FetchJobs', requestId, worker, body, lockMs }, call.context);
  const receipt = receipts?.ofFetch(dispatch.queue);
  if (!receipt) return fetch(dispatch, asked, call);
  const before = await fetchAgain(dispatch, asked, receipt, call);
  if (before) return before;
  const noted = { ...asked, receipt: { ...receipt, call: newLeaseToken() } };
  const answer = await fetch(dispatch, noted, call);
  if (answer.jobs.length > 0 || call.context.signal.aborted) return answer;
  // The first call may have waited as long as this one and taken something meanwhile.
  return (await fetchAgain(dispatch, asked, receipt, call)) ?? answer;
}

/** What a fetch, alone or after a finish, asks for, checked. */
export function fetchRequest(
  asked: Pick<FetchJobsRequest, keyof FetchNext>,
  given: { readonly field: string; readonly name: string },
  limits: Limits,
): FetchRequest {
  const { field, name } = given;
  const alone = field === '';
  const at = (part: string) => (alone ? part : `${field}.${part}`);
  // A fetch names how many it wants; after a finish 0 means one.
  const count = alone || asked.maxJobs !== 0 ? asked.maxJobs : 1;
  const maxBytes = uint(asked.maxResponseBytes, at('max_response_bytes'), { fallback: 0 });
  return {
    terms: fetchTerms(asked, { field, limits, name }),
    maxJobs: uint(count, at('max_jobs'), { min: 1, max: limits.maxBatch, fallback: 1 }),
    maxBytes: Math.min(maxBytes || limits.maxResponseBytes, limits.maxResponseBytes),
    waitMs: durationMs(asked.wait, at('wait'), {
      max: limits.maxWaitMs,
      fallback: alone ? limits.defaultWaitMs : 0,
    }),
  };
}
