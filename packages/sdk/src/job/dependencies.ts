import * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { EchoMQError, JobNotFound } from '../errors.js';
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

/** The largest number of children of one answer: of a flow, and of a page. */
const MAX_CHILDREN = 1_000;

const KIND_BY_POLICY: Readonly<Record<number, keyof Dependencies>> = {
  [pb.ParentFailurePolicy.FAIL_PARENT]: 'failed',
  [pb.ParentFailurePolicy.CONTINUE_PARENT]: 'ignored',
  [pb.ParentFailurePolicy.IGNORE]: 'ignored',
};

/** What a parent's record says of its children, in the order in which they are read. */
const FILTERS = [
  ['unprocessed', pb.ChildFilter.PENDING, pb.JobState.UNKNOWN],
  ['processed', pb.ChildFilter.PROCESSED, pb.JobState.COMPLETED],
  ['failed', pb.ChildFilter.FAILED, pb.JobState.FAILED],
  ['ignored', pb.ChildFilter.IGNORED, pb.JobState.FAILED],
] as const;

/** Children that are read at one time, where they do not fit into one answer. */
const WIDTH = 20;

/** A child with what became of it. */
type KnownChild = readonly [kind: keyof Dependencies, child: pb.Job];

/** See `Job.getDependencies`: the children and what became of each. Few come in one answer, many page by page. */
export async function readDependencies(
  connection: Connection,
  job: JobName,
): Promise<readonly KnownChild[]> {
  const { children, dependencies } = await readFamily(connection, job, MAX_CHILDREN);
  const read = children.flatMap(({ job: child }) =>
    child === undefined ? [] : [[kindOf(child), child] as const],
  );
  const { processed, unprocessed, failed, ignored } = countsOf(dependencies);
  if (read.length >= processed + unprocessed + failed + ignored) return read;
  return readMany(connection, job, new Map(read.map(([, child]) => [childKey(child), child])));
}

/** All children, by what their parent's record says of them. `read`: those that are there already. */
async function readMany(
  connection: Connection,
  parent: JobName,
  read: ReadonlyMap<string, pb.Job>,
): Promise<KnownChild[]> {
  const found = new Map<string, KnownChild>();
  for (const [kind, filter, state] of FILTERS) {
    for await (const page of childPages(connection, parent, filter)) {
      for (let i = 0; i < page.length; i += WIDTH) {
        const part = page.slice(i, i + WIDTH);
        const jobs = await Promise.all(
          part.map((child) => read.get(childKey(child)) ?? readChild(connection, child, state)),
        );
        for (const child of jobs) if (child) found.set(childKey(child), [kind, child]);
      }
    }
  }
  return [...found.values()];
}

/** One child; its name alone where it is gone, nothing where its queue may not be read. */
async function readChild(
  connection: Connection,
  { queue, jobId }: pb.ChildValue,
  state: pb.JobState,
): Promise<pb.Job | undefined> {
  try {
    return (await connection.call('queue', 'getJob', { queue, jobId, view: pb.JobView.FULL })).job;
  } catch (error) {
    if (error instanceof JobNotFound) return pb.Job.create({ queue, jobId, state });
    if (error instanceof EchoMQError && error.code === 'PERMISSION_DENIED') return undefined;
    throw error;
  }
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
  for await (const page of childPages(connection, job, filter)) {
    for (const child of page) found.push([childKey(child), read(child)]);
  }
  return Object.fromEntries(found);
}

async function* childPages(
  connection: Connection,
  job: JobName,
  filter: pb.ChildFilter,
): AsyncGenerator<readonly pb.ChildValue[], void, undefined> {
  let pageToken = '';
  do {
    const request = { ...job, filter, pageSize: MAX_CHILDREN, pageToken };
    const page = await connection.call('queue', 'listChildren', request);
    yield page.children;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
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
