import { type FetchingWorker, StoreUnavailable, TransitionRejected } from '@echomq/core';
import { applyOutcome, type Ended, type Ending } from './apply-outcome.js';
import type { WorkerDeps } from './worker-deps.js';

/** Between two looks whether the store is back, ms. */
const LOOK_MS = 100;

/** How long to insist, and how to ask for the next job anew each time. */
export interface Insistence {
  /** When the lock runs out unless somebody renews it: till then nobody else can end the hold. */
  readonly leaseUntil: () => number;
  /** A fetch with a token of its own, or `undefined` to fetch none. */
  readonly next: () => FetchingWorker | undefined;
}

/**
 * Applies an outcome although the store may be away for a while, as long as the lease holds. The receipt of the ending
 * tells an attempt what became of one whose answer was lost.
 *
 * @returns what became of the job, and the fetch that brought the next one.
 * @throws as `applyOutcome`; StoreUnavailable only once the lease may be over.
 */
export async function insist(
  ending: Ending & Required<Pick<Ending, 'receipt'>>,
  { leaseUntil, next }: Insistence,
  deps: WorkerDeps,
): Promise<{ readonly ended: Ended; readonly worker: FetchingWorker | undefined }> {
  let doubt: StoreUnavailable | undefined;
  let attempt: Ending = ending;
  for (;;) {
    const worker = next();
    try {
      return { ended: await applyOutcome(attempt, deps, worker), worker };
    } catch (error) {
      const looked = attempt.receipt?.fresh !== true;
      // It was attempted now: what it may have left is looked for.
      attempt = { ...ending, receipt: { ...ending.receipt, fresh: false } };
      // Somebody else ended the hold: perhaps the same report, at a server to which the worker has gone on.
      if (error instanceof TransitionRejected && !looked) continue;
      if (!(error instanceof StoreUnavailable)) throw error;
      if (error.mayHaveApplied) doubt = error;
      const until = leaseUntil();
      const over = deps.clock.now() >= until || deps.closed();
      if (over || !(await storeIsBack(until, deps))) throw doubt ?? error;
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
