import type { UpdateJobDataRequest, UpdateJobDataResponse } from '@echomq/proto/messages';
import { jsonPayload } from '../../validation/json-payload.js';
import { leaseOf } from '../../validation/lease.js';
import type { WorkerDeps } from './worker-deps.js';

/** UpdateJobData: replaces the payload of a held job. */
export async function updateJobData(
  request: UpdateJobDataRequest,
  deps: WorkerDeps,
): Promise<UpdateJobDataResponse> {
  const { queue, jobId, token } = leaseOf(deps.names, request.lease);
  const { limits } = deps;
  const data = jsonPayload(request.data, 'data', { limits, empty: '{}' });
  await deps.dispatcher.of(queue).lane.data({ jobId, token, data });
  return {};
}
