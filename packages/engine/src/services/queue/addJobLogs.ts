import { addLogs, getJobSummary, InvalidRequest } from '@echomq/core';
import { decodeOptions } from '../../messages/job-options.js';
import { bodyOf } from '../../receipts/request-body.js';
import { receiptsOf } from '../../receipts/request-receipts.js';
import type { QueueApi } from '../../service.js';
import { uint } from '../../validation/uint.js';
import { writeMethod } from '../unary-method.js';
import { logRows } from '../worker/log-rows.js';
import { type NamedJob, namedJob, type QueueDeps } from './named-job.js';

/** QueueService.AddJobLogs. A job that is gone gets no log. */
export function addJobLogs(deps: QueueDeps): QueueApi['addJobLogs'] {
  return writeMethod(deps, async (request, context) => {
    const job = namedJob(deps, request);
    if (request.lines.length === 0) {
      throw new InvalidRequest('lines', 'must have at least one line');
    }
    const rows = logRows(request.lines, 'lines', deps.limits);
    const keep = uint(request.keep, 'keep') ?? (await keptLogs(deps, job));
    const { requestId } = request;
    const body = () => bodyOf.addJobLogs(request);
    const receipt = receiptsOf({ rpc: 'AddJobLogs', requestId, body }, context)?.of(job.queue);
    const logs = { jobId: job.id, rows, keep, ...(receipt ? { receipt } : {}) };
    return { total: await addLogs(deps.store, job.queue.keys, { ...logs, anyone: true }) };
  });
}

/** How many lines the job's options keep; 0 for all. */
async function keptLogs({ store }: QueueDeps, { queue, id }: NamedJob): Promise<number> {
  const job = await getJobSummary(store, queue.keys, id);
  return (job && decodeOptions(job.opts)?.keepLogs) ?? 0;
}
