import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { EchoMQError } from '../errors.js';
import type { Job } from './job.js';
import type { JobName } from './job-calls.js';

/** The children of a job by what became of them. */
export interface Dependencies {
  /** Completed. */
  readonly processed: readonly Job[];
  /** Not finished, or failed and still waited for. */
  readonly unprocessed: readonly Job[];
  /** Failed, and the parent with them. */
  readonly failed: readonly Job[];
  /** Failed, and the parent goes on without them. */
  readonly ignored: readonly Job[];
}

/** How many children of a job stand how. */
export type DependenciesCount = { readonly [Kind in keyof Dependencies]: number };

/** The largest number of children of one answer. */
const MAX_CHILDREN = 1_000;

const KIND_BY_POLICY: Readonly<Record<number, keyof Dependencies>> = {
  [pb.ParentFailurePolicy.FAIL_PARENT]: 'failed',
  [pb.ParentFailurePolicy.CONTINUE_PARENT]: 'ignored',
  [pb.ParentFailurePolicy.IGNORE]: 'ignored',
};

/** See `Job.getDependencies`: the children and what became of each. */
export async function readDependencies(
  connection: Connection,
  job: JobName,
): Promise<(readonly [kind: keyof Dependencies, child: pb.Job])[]> {
  const { children } = await readFamily(connection, job, MAX_CHILDREN);
  return children.flatMap(({ job: child }) =>
    child === undefined ? [] : [[kindOf(child), child] as const],
  );
}

/** See `Job.getDependenciesCount`. */
export async function readDependenciesCount(
  connection: Connection,
  job: JobName,
): Promise<DependenciesCount> {
  return countsOf((await readFamily(connection, job, 1)).dependencies);
}

/** Counts as the SDK's users know them. */
export function countsOf(counts: pb.DependencyCounts | undefined): DependenciesCount {
  const { processed = 0, pending = 0, failed = 0, ignored = 0 } = counts ?? {};
  return { processed, unprocessed: pending, failed, ignored };
}

/** The children of a job that one filter shows, by `queue:id`, those that are gone too. @throws JobNotFound */
export async function readChildren<Value>(
  connection: Connection,
  job: JobName,
  filter: pb.ChildFilter,
  read: (child: pb.ChildValue) => Value,
): Promise<Record<string, Value>> {
  const found: [string, Value][] = [];
  let pageToken = '';
  do {
    const request = { ...job, filter, pageSize: MAX_CHILDREN, pageToken };
    const page = await connection.call('queue', 'listChildren', request);
    for (const child of page.children) found.push([childKey(child), read(child)]);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return Object.fromEntries(found);
}

/** How a child is named in what is told of it. */
export function childKey({ queue, jobId }: JobName): string {
  return `${queue}:${jobId}`;
}

async function readFamily(
  connection: Connection,
  job: JobName,
  maxChildren: number,
): Promise<pb.FlowTreeNode> {
  const view = maxChildren > 1 ? pb.JobView.FULL : pb.JobView.BASIC;
  const request = { job, depth: 1, maxChildren, view };
  const { root } = await connection.call('queue', 'getFlow', request);
  if (root !== undefined) return root;
  throw new EchoMQError('the gateway answered without the job', { code: 'INTERNAL', reason: '' });
}

function kindOf({ state, options }: pb.Job): keyof Dependencies {
  if (state === pb.JobState.COMPLETED) return 'processed';
  if (state !== pb.JobState.FAILED) return 'unprocessed';
  // A stub of a child that is gone has no options: its parent keeps it as one that failed.
  const policy = options?.parentFailurePolicy ?? pb.ParentFailurePolicy.FAIL_PARENT;
  return KIND_BY_POLICY[policy] ?? 'unprocessed';
}
