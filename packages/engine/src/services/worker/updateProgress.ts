import type { UpdateProgressRequest, UpdateProgressResponse } from '@echomq/proto/messages';
import { jsonPayload } from '../../validation/json-payload.js';
import { leaseOf } from '../../validation/lease.js';
import type { WorkerDeps } from './worker-deps.js';

/** UpdateProgress: sets the progress of a held job. */
export async function updateProgress(
  request: UpdateProgressRequest,
  deps: WorkerDeps,
): Promise<UpdateProgressResponse> {
  const { queue, jobId, token } = leaseOf(deps.names, request.lease);
  const { limits } = deps;
  const progress = jsonPayload(request.progress, 'progress', { limits, empty: 'null' });
  await deps.dispatcher.of(queue).lane.progress({ jobId, token, progress });
  return {};
}
