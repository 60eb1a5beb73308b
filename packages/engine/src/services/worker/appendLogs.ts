import { getJobSummary, InvalidRequest } from '@echomq/core';
import type { AppendLogsRequest, AppendLogsResponse } from '@echomq/proto/messages';
import { decodeOptions } from '../../messages/job-options.js';
import type { NamedQueue } from '../../queue-names.js';
import { bodyOf } from '../../receipts/request-body.js';
import { receiptsOf } from '../../receipts/request-receipts.js';
import type { CallContext } from '../../service.js';
import { leaseOf } from '../../validation/lease.js';
import { uint } from '../../validation/uint.js';
import { logRows } from './log-rows.js';
import type { WorkerDeps } from './worker-deps.js';

/** AppendLogs: appends to the log of a held job. */
export async function appendLogs(
  request: AppendLogsRequest,
  deps: WorkerDeps,
  context: Pick<CallContext, 'principal'> = {},
): Promise<AppendLogsResponse> {
  const { queue, jobId, token } = leaseOf(deps.names, request.lease);
  if (request.lines.length === 0) throw new InvalidRequest('lines', 'must have at least one line');
  const rows = logRows(request.lines, 'lines', deps.limits);
  const keep = uint(request.keep, 'keep') ?? (await keptLogs(queue, jobId, deps));
  const { requestId } = request;
  const body = () => bodyOf.appendLogs(request);
  const receipt = receiptsOf({ rpc: 'AppendLogs', requestId, body }, context)?.of(queue);
  const appended = { jobId, token, rows, keep, ...(receipt ? { receipt } : {}) };
  const total = await deps.dispatcher.of(queue).lane.log(appended);
  return { total };
}

/** How many lines the job's options keep; 0 for all. */
async function keptLogs({ keys }: NamedQueue, jobId: string, deps: WorkerDeps): Promise<number> {
  const job = await getJobSummary(deps.store, keys, jobId);
  return (job && decodeOptions(job.opts)?.keepLogs) ?? 0;
}
