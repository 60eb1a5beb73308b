import {
  type FlowTreeNode,
  GetFlowRequest,
  GetJobLogsRequest,
  GetJobRequest,
  type Job,
  JobOptions,
  type JobRef,
  JobView,
} from '@echomq/proto/messages';
import type { Asked } from '../change/change.js';
import type { Fields } from './fields.js';
import { type JobRow, jobRow } from './job-row.js';

/** Characters of one payload that are sent to the page. */
const TEXT_LENGTH = 100_000;
/** Lines of the log with the job. */
const LINES = 200;
/** Jobs above and below that belong to the tree shown. */
const FLOW = { above: 8, depth: 5, children: 20 };

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
    options: job.options && JSON.stringify(JobOptions.toJSON(job.options)),
    mayChange: asked.caller.mayChange(queue),
    logs: { lines: lines.map(shortened), total },
    flow: await flowOf(job, asked),
  };
}

/** A job in the tree of its flow. */
interface FlowNode extends Pick<JobRow, 'queue' | 'id' | 'name' | 'state'> {
  /** Children that are not shown here. */
  readonly more: number;
  readonly children: readonly FlowNode[];
}

async function flowOf(job: Job, asked: Asked): Promise<FlowNode | undefined> {
  const top = await topmost(job, asked);
  const request = GetFlowRequest.fromPartial({
    job: top,
    depth: FLOW.depth,
    maxChildren: FLOW.children,
    view: JobView.BASIC,
  });
  const { root } = await asked.caller.services.queue.getFlow(request, asked.context);
  const alone = root?.children.length === 0 && job.parent === undefined;
  return root && !alone ? flowNode(root) : undefined;
}

/** The first of a job's line that is there and may be read. */
async function topmost(job: Job, { caller, context }: Asked): Promise<JobRef> {
  let top: JobRef = { queue: job.queue, jobId: job.jobId };
  let { parent } = job;
  for (let level = 0; parent && level < FLOW.above; level++) {
    try {
      const request = GetJobRequest.fromPartial({ ...parent, view: JobView.BASIC });
      const above = (await caller.services.queue.getJob(request, context)).job;
      top = parent;
      parent = above?.parent;
    } catch {
      // Removed, or in a queue that this caller may not read: the tree begins below it.
      break;
    }
  }
  return top;
}

function flowNode({ job, children, dependencies }: FlowTreeNode): FlowNode {
  const { queue = '', id = '', name = '', state = 'unknown' } = job ? jobRow(job) : {};
  const all = dependencies
    ? dependencies.pending + dependencies.processed + dependencies.failed + dependencies.ignored
    : children.length;
  const shown = children.map(flowNode);
  return { queue, id, name, state, more: Math.max(0, all - shown.length), children: shown };
}

/** Bytes as text; what is no UTF-8 is marked in it. Absent: nothing is stored. */
function payload(bytes: Buffer): { readonly text: string; readonly cut: boolean } | undefined {
  if (bytes.length === 0) return undefined;
  const text = bytes.toString('utf8');
  return { text: text.slice(0, TEXT_LENGTH), cut: text.length > TEXT_LENGTH };
}

const shortened = (text: string): string => text.slice(0, TEXT_LENGTH);
