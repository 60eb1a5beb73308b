import { addLogs as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import { type Receipt, replayedAnswer } from '../receipts.js';
import type { Store } from '../store.js';

/** Log rows of a running job. */
export interface LogRows {
  readonly jobId: string;
  readonly token: string;
  readonly rows: readonly string[];
  /** Keep the newest so many; 0 keeps all. */
  readonly keep: number;
  readonly receipt?: Receipt;
}

/**
 * Appends log rows for the owner of the lock. Returns how many rows the job has now; with a receipt a repeated call appends
 * nothing and returns what the first did.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED, REQUEST_ID_REUSED.
 */
export async function addLogs(store: Store, queue: QueueKeys, logs: LogRows): Promise<number> {
  const { jobId, token, keep, rows, receipt } = logs;
  const args = { token, keep, rows, more: { receipt } };
  const reply = await store.run(script, { job: queue.job(jobId) }, args);
  const answer = accepted(script, reply, { queue, jobId });
  return Number(replayedAnswer(answer) ?? answer);
}
