import { GetJobLogsRequest, GetJobRequest, JobOptions, JobView } from '@echomq/proto/messages';
import type { Asked } from '../change/change.js';
import type { Fields } from './fields.js';
import { flowOf } from './flow.js';
import { jobRow } from './job-row.js';

/** Characters of one payload that are sent to the page. */
const TEXT_LENGTH = 100_000;
/** Lines of the log with the job. */
const LINES = 200;

/** One job with all that belongs to it: its payloads, the newest of its log, and the flow that it is part of. */
export async function showJob(fields: Fields, asked: Asked) {
  const [queue, jobId] = [fields.text('queue'), fields.text('id')];
  const api = asked.caller.services.queue;
  const [{ job }, { lines, total }] = await Promise.all([
    api.getJob(GetJobRequest.fromPartial({ queue, jobId, view: JobView.FULL }), asked.context),
    api.getJobLogs(GetJobLogsRequest.fromPartial({ queue, jobId, pageSize: LINES }), asked.context),
  ]);
  if (!job) return undefined;
  return {
    ...jobRow(job),
    failedReason: shortened(job.failedReason),
    attemptsStarted: job.attemptsStarted,
    stalledCount: job.stalledCount,
    parent: job.parent,
    deduplicationId: job.deduplicationId,
    data: payload(job.data),
    dataSize: job.dataSize,
    omitted: job.dataOmitted,
    result: payload(job.returnValue),
    progress: payload(job.progress),
    stacks: job.stackTrace.map(shortened),
    options: job.options && optionsText(job.options),
    mayChange: asked.caller.mayChange(queue),
    logs: { lines: lines.map(shortened), total },
    flow: await flowOf(job, asked),
  };
}

/** Options as JSON; those that the contract does not model stand among the others, as they are stored. */
function optionsText(options: JobOptions): string {
  const { extraOptsJson: extra, ...modelled } = options;
  const known = JobOptions.toJSON({ ...modelled, extraOptsJson: Buffer.alloc(0) });
  try {
    return JSON.stringify({ ...JSON.parse(extra.toString('utf8') || '{}'), ...(known as object) });
  } catch {
    return JSON.stringify(known);
  }
}

/** Bytes as text; what is no UTF-8 is marked in it. Absent: nothing is stored. */
function payload(bytes: Buffer): { readonly text: string; readonly cut: boolean } | undefined {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  return { text: text.slice(0, TEXT_LENGTH), cut: text.length > TEXT_LENGTH };
}

const shortened = (text: string): string => text.slice(0, TEXT_LENGTH);
