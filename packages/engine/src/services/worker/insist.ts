import {
  type FetchingWorker,
  getJobSummary,
  getState,
  type JobState,
  StoreUnavailable,
  TransitionRejected,
} from '@echomq/core';
import { Disposition, type FinishResult } from '@echomq/proto/messages';
import { applyOutcome, type Ended, type Ending } from './apply-outcome.js';
import type { WorkerDeps } from './worker-deps.js';

/** Between two looks whether the store is back, ms. */
const LOOK_MS = 100;

/** What the former owner of a lease is told. */
const NOT_HELD: ReadonlySet<string> = new Set([
  'LOCK_LOST',
  'LOCK_NOT_OWNED',
  'JOB_NOT_FOUND',
  'JOB_NOT_IN_STATE',
]);

/** How long to insist, and how to ask for the next job anew each time. */
export interface Insistence {
  /** When the lock runs out unless somebody renews it: till then nobody else can end the hold. */
  readonly leaseUntil: () => number;
  /** A fetch with a token of its own, or `undefined` to fetch none. */
  readonly next: () => FetchingWorker | undefined;
}

/**
 * Applies an outcome although the store may be away for a while, as long as the lease holds. When the answer of an
 * attempt was lost and the next one finds the hold over while the lease cannot have run out, the first had got through.
 *
 * @returns what became of the job, and the fetch that brought the next one.
 * @throws as `applyOutcome`; StoreUnavailable only once the lease may be over.
 */
export async function insist(
  ending: Ending,
  { leaseUntil, next }: Insistence,
  deps: WorkerDeps,
): Promise<{ readonly ended: Ended; readonly worker: FetchingWorker | undefined }> {
  let doubt: StoreUnavailable | undefined;
  for (;;) {
    const worker = next();
    try {
      const ended = await applyOutcome(worker ? { ...ending, next: worker } : ending, deps);
      return { ended, worker };
    } catch (error) {
      const until = leaseUntil();
      const over = deps.clock.now() >= until || deps.closed();
      if (error instanceof StoreUnavailable) {
        if (error.mayHaveApplied) doubt = error;
        if (over || !(await storeIsBack(until, deps))) throw doubt ?? error;
        continue;
      }
      const gone = error instanceof TransitionRejected && NOT_HELD.has(error.reason);
      if (!doubt || !gone || over) throw error;
      return { ended: { result: await presumed(ending, deps) }, worker: undefined };
    }
  }
}

async function storeIsBack(until: number, deps: WorkerDeps): Promise<boolean> {
  do {
    await new Promise<void>((resolve) => deps.clock.setTimeout(resolve, LOOK_MS));
    if (deps.closed() || deps.clock.now() >= until) return false;
  } while (!deps.storeReady());
  return true;
}

/** The result of an attempt whose answer was lost, read off the job. */
async function presumed(
  { lane, jobId, item, ...rest }: Ending,
  deps: WorkerDeps,
): Promise<FinishResult> {
  const { keys } = lane.queue;
  const [state, job] = await Promise.all([
    getState(deps.store, keys, jobId),
    getJobSummary(deps.store, keys, jobId),
  ]);
  return {
    disposition: dispositionOf(item.outcome?.kind?.$case, state),
    attemptsMade: job?.attemptsMade ?? (rest.attemptsMade ?? 0) + 1,
    retryIn: undefined,
    replayed: true,
  };
}

function dispositionOf(outcome: string | undefined, state: JobState): Disposition {
  if (outcome === 'complete') return Disposition.COMPLETED;
  if (outcome === 'delay') return Disposition.DELAYED;
  if (outcome === 'fail') {
    if (state === 'failed' || state === 'unknown') return Disposition.FAILED;
    return state === 'delayed' ? Disposition.RETRY_SCHEDULED : Disposition.RETRY_QUEUED;
  }
  return state === 'waiting-children' ? Disposition.WAITING_CHILDREN : Disposition.RELEASED;
}
