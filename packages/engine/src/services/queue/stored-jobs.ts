import { ContractBroken, getJob, getJobSummary, type StoredJob } from '@echomq/core';
import { JobView } from '@echomq/proto/messages';
import type { Shown, ShownView } from '../../messages/job.js';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';

/** A stored job with the size of its payload. */
export interface ReadJob {
  readonly job: StoredJob;
  readonly dataSize: number;
}

/**
 * The view that a request asks for. Values of later versions are taken as the default.
 *
 * @param whenUnspecified BASIC in lists, FULL for one job.
 */
export function shownView(view: JobView | undefined, whenUnspecified: ShownView): Shown['view'] {
  return view === JobView.BASIC || view === JobView.FULL ? view : whenUnspecified;
}

/** Reads a job as far as the view needs it; `undefined` when nothing that is a job stands there. */
export async function readJob(
  { store }: Pick<EngineDeps, 'store'>,
  queue: NamedQueue,
  jobId: string,
  view: ShownView,
): Promise<ReadJob | undefined> {
  try {
    if (view === JobView.FULL) {
      const job = await getJob(store, queue.keys, jobId);
      return job && { job, dataSize: job.data.length };
    }
    const [job, size] = await Promise.all([
      getJobSummary(store, queue.keys, jobId),
      store.command('HSTRLEN', [queue.keys.job(jobId), 'data']),
    ]);
    return job && { job, dataSize: Number(size) };
  } catch (error) {
    if (isWrongType(error)) return undefined;
    throw error;
  }
}

/** Whether a command met a key of another type: a foreign one, or one whose name an id happens to have. */
export function isWrongType(error: unknown): boolean {
  return (
    error instanceof ContractBroken &&
    error.cause instanceof Error &&
    error.cause.message.includes('WRONGTYPE')
  );
}
