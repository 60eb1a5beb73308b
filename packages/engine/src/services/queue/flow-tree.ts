import { getDependencyCounts, getState, type JobState as StoredState } from '@echomq/core';
import { type FlowTreeNode, Job } from '@echomq/proto/messages';
import { adminJob, type ShownView } from '../../messages/job.js';
import { jobState } from '../../messages/job-state.js';
import { fitted, jobSize } from '../../messages/sizes.js';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import { type FlowChild, flowChildren } from './flow-children.js';
import { readJob } from './stored-jobs.js';

/** How much of a tree is read. */
export interface FlowQuery {
  readonly depth: number;
  readonly maxChildren: number;
  readonly view: ShownView;
  /** Whether the jobs of a queue are shown. */
  readonly mayRead: (queue: string) => boolean;
}

type Deps = Pick<EngineDeps, 'store' | 'names' | 'limits'>;

/** Jobs read at one time. */
const WIDTH = 20;
/** Jobs of one tree. */
const MOST_NODES = 2_000;

/**
 * Reads a tree level by level, until its depth, its number of jobs or the bytes of a message are reached; a job whose
 * children did not find room still tells how many it has. `undefined` when there is no such job.
 */
export async function flowTree(
  deps: Deps,
  root: { readonly queue: NamedQueue; readonly id: string },
  query: FlowQuery,
): Promise<FlowTreeNode | undefined> {
  const top = await readNode(deps, root.queue, root.id, query.view);
  if (!top) return undefined;
  let room = deps.limits.maxResponseBytes - sizeOf(top);
  let nodes = 1;
  let level: Placed[] = [{ node: top, queue: root.queue, id: root.id }];
  for (let depth = 0; depth < query.depth && level.length > 0; depth++) {
    const next: Placed[] = [];
    for (let i = 0; i < level.length && nodes < MOST_NODES && room > 0; i += WIDTH) {
      const parents = level.slice(i, i + WIDTH);
      const families = await Promise.all(
        parents.map((parent) => readChildren(deps, parent, query)),
      );
      for (const [at, family] of families.entries()) {
        for (const child of family) {
          room -= sizeOf(child.node);
          if (room <= 0 || nodes >= MOST_NODES) break;
          nodes++;
          parents[at]?.node.children.push(child.node);
          next.push(child);
        }
      }
    }
    level = next;
  }
  return top;
}

/** A node with where it stands; without a queue it has no children that could be read. */
interface Placed {
  readonly node: FlowTreeNode;
  readonly queue: NamedQueue | undefined;
  readonly id: string;
}

async function readChildren(
  deps: Deps,
  { queue, id, node }: Placed,
  { maxChildren, view, mayRead }: FlowQuery,
): Promise<Placed[]> {
  const counts = node.dependencies;
  const any = counts && counts.pending + counts.processed + counts.failed + counts.ignored > 0;
  if (!queue || !any) return [];
  const all = await flowChildren(deps, queue, id, maxChildren);
  const children = all.filter(({ queueName }) => mayRead(queueName));
  const placed: Placed[] = [];
  for (let i = 0; i < children.length; i += WIDTH) {
    const part = children.slice(i, i + WIDTH);
    placed.push(...(await Promise.all(part.map((child) => readChild(deps, child, view)))));
  }
  return placed;
}

async function readChild(deps: Deps, child: FlowChild, view: ShownView): Promise<Placed> {
  const { queue, id } = child;
  const read = queue && (await readNode(deps, queue, id, view));
  return { node: read ?? { job: stub(child), children: [], dependencies: undefined }, queue, id };
}

/** A child that is gone, or that nobody here can reach: what its parent knows. */
function stub({ queueName, id, outcome }: FlowChild): Job {
  const state: StoredState = outcome === 'pending' ? 'unknown' : outcome;
  return Job.create({ queue: queueName, jobId: id, state: jobState(state) });
}

async function readNode(
  deps: Deps,
  queue: NamedQueue,
  id: string,
  view: ShownView,
): Promise<FlowTreeNode | undefined> {
  const [state, read, dependencies] = await Promise.all([
    getState(deps.store, queue.keys, id),
    readJob(deps, queue, id, view),
    getDependencyCounts(deps.store, queue.keys, id),
  ]);
  if (!read) return undefined;
  const job = adminJob(queue, read.job, { state, view, dataSize: read.dataSize });
  return { job: fitted(job, deps.limits.maxResponseBytes), children: [], dependencies };
}

function sizeOf({ job }: FlowTreeNode): number {
  return job ? jobSize(job) : 0;
}
