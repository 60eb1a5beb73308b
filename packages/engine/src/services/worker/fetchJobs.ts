import type { FetchJobsRequest, FetchJobsResponse, FetchNext } from '@echomq/proto/messages';
import type { Limits } from '../../limits.js';
import type { CallContext } from '../../service.js';
import { fetchTerms } from '../../sessions/terms.js';
import { durationMs } from '../../validation/duration.js';
import { uint } from '../../validation/uint.js';
import { type FetchRequest, fetchJobs as fetch, refuseWhileDraining } from './polling.js';
import type { WorkerDeps } from './worker-deps.js';

/** FetchJobs: takes jobs, or waits for the first. */
export async function fetchJobs(
  request: FetchJobsRequest,
  context: CallContext,
  deps: WorkerDeps,
): Promise<FetchJobsResponse> {
  const queue = deps.names.resolve(request.queue);
  const asked = fetchRequest(request, { field: '', name: request.worker?.name ?? '' }, deps.limits);
  refuseWhileDraining(deps);
  const answer = await fetch(deps.dispatcher.of(queue), asked, { deps, context });
  return { ...answer, directive: undefined, replayed: false };
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
