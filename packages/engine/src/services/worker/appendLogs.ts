import { getJobSummary, InvalidRequest } from '@echomq/core';
import type { AppendLogsRequest, AppendLogsResponse } from '@echomq/proto/messages';
import { decodeOptions } from '../../messages/job-options.js';
import type { NamedQueue } from '../../queue-names.js';
import { leaseOf } from '../../validation/lease.js';
import { uint } from '../../validation/uint.js';
import { logRows } from './log-rows.js';
import type { WorkerDeps } from './worker-deps.js';

/** AppendLogs: appends to the log of a held job. */
export async function appendLogs(
  request: AppendLogsRequest,
  deps: WorkerDeps,
): Promise<AppendLogsResponse> {
  const { queue, jobId, token } = leaseOf(deps.names, request.lease);
  if (request.lines.length === 0) throw new InvalidRequest('lines', 'must have at least one line');
  const rows = logRows(request.lines, 'lines', deps.limits);
  const keep = uint(request.keep, 'keep') ?? (await keptLogs(queue, jobId, deps));
  const total = await deps.dispatcher.of(queue).lane.log({ jobId, token, rows, keep });
  return { total };
}

/** How many lines the job's options keep; 0 for all. */
async function keptLogs({ keys }: NamedQueue, jobId: string, deps: WorkerDeps): Promise<number> {
  const job = await getJobSummary(deps.store, keys, jobId);
  return (job && decodeOptions(job.opts)?.keepLogs) ?? 0;
}
