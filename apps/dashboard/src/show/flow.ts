import {
  type FlowTreeNode,
  GetFlowRequest,
  GetJobRequest,
  type Job,
  type JobRef,
  JobView,
} from '@echomq/proto/messages';
import type { Asked } from '../change/change.js';
import { type JobRow, jobRow } from './job-row.js';

/** Jobs above and below that belong to the tree shown; a job has its place in it wherever it is in a larger flow. */
const FLOW = { above: 4, depth: 5, children: 20 };

/** A job in the tree of its flow. */
export interface FlowNode extends Pick<JobRow, 'queue' | 'id' | 'name' | 'state'> {
  /** Children that are not shown here. */
  readonly more: number;
  readonly children: readonly FlowNode[];
}

/** The flow that a job is part of, from a few levels above it; undefined where it has neither parent nor children. */
export async function flowOf(job: Job, asked: Asked): Promise<FlowNode | undefined> {
  const line = await lineOf(job, asked);
  const [top] = line;
  const tree = top && (await treeOf(top, FLOW.depth, asked));
  const alone = tree?.children.length === 0 && job.parent === undefined;
  return tree && !alone ? withLine(tree, line.slice(1), asked) : undefined;
}

/** The job and those above it that are there and may be read, the topmost first. */
async function lineOf(job: Job, { caller, context }: Asked): Promise<readonly Job[]> {
  const line = [job];
  let { parent } = job;
  while (parent && line.length <= FLOW.above) {
    try {
      const request = GetJobRequest.fromPartial({ ...parent, view: JobView.BASIC });
      const above = (await caller.services.queue.getJob(request, context)).job;
      if (!above) break;
      line.unshift(above);
      parent = above.parent;
    } catch {
      // Removed, or in a queue that this caller may not read: the tree begins below it.
      break;
    }
  }
  return line;
}

async function treeOf(
  { queue, jobId }: JobRef,
  depth: number,
  { caller, context }: Asked,
): Promise<FlowNode | undefined> {
  const request = GetFlowRequest.fromPartial({
    job: { queue, jobId },
    depth,
    maxChildren: FLOW.children,
    view: JobView.BASIC,
  });
  const { root } = await caller.services.queue.getFlow(request, context);
  return root && flowNode(root);
}

/** The tree with a line of jobs below its top, each the child of the one before, where a long list has left one out. */
async function withLine(
  tree: FlowNode,
  [next, ...rest]: readonly Job[],
  asked: Asked,
): Promise<FlowNode> {
  if (!next) return tree;
  const { queue, jobId } = next;
  const at = tree.children.findIndex((child) => child.queue === queue && child.id === jobId);
  const found = tree.children[at] ?? (await treeOf(next, 2, asked));
  if (!found) return tree;
  const whole = await withLine(found, rest, asked);
  if (at >= 0) return { ...tree, children: tree.children.with(at, whole) };
  return { ...tree, more: Math.max(0, tree.more - 1), children: [whole, ...tree.children] };
}

function flowNode({ job, children, dependencies }: FlowTreeNode): FlowNode {
  const { queue = '', id = '', name = '', state = 'unknown' } = job ? jobRow(job) : {};
  const all = dependencies
    ? dependencies.pending + dependencies.processed + dependencies.failed + dependencies.ignored
    : children.length;
  const shown = children.map(flowNode);
  return { queue, id, name, state, more: Math.max(0, all - shown.length), children: shown };
}
