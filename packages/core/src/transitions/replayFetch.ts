import { replayFetch as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted, rows } from '../outcomes.js';
import { type FetchReceipt, type HeldJob, heldJobs } from '../receipts.js';
import type { Store } from '../store.js';

/** A fetch that is asked for again. */
export interface FetchReplay {
  readonly receipt: Omit<FetchReceipt, 'call' | 'index'>;
  /** How long the locks stand from now on, ms. */
  readonly lockDuration: number;
}

/** What an earlier fetch took and is still held with its tokens. */
export interface ReplayedFetch {
  /** In the order in which they were taken. */
  readonly jobs: readonly HeldJob[];
  /** How often that fetch has been answered again, this time included. */
  readonly replays: number;
}

/**
 * Gives the jobs of an earlier fetch again, their locks renewed, and never others. `undefined` when that fetch has taken
 * none, or is forgotten.
 *
 * @throws TransitionRejected REQUEST_ID_REUSED.
 */
export async function replayFetch(
  store: Store,
  queue: QueueKeys,
  { receipt, lockDuration }: FetchReplay,
): Promise<ReplayedFetch | undefined> {
  const args = { prefix: queue.base, lockDuration, receipt };
  const reply = accepted(script, await store.run(script, queue, args), { queue });
  if (reply === 0) return undefined;
  const [replays, ...taken] = rows(script, reply);
  return { jobs: heldJobs(taken), replays: Number(replays) };
}
