import { addLogs as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** Log rows of a running job. */
export interface LogRows {
  readonly jobId: string;
  readonly token: string;
  readonly rows: readonly string[];
  /** Keep the newest so many; 0 keeps all. */
  readonly keep: number;
}

/**
 * Appends log rows for the owner of the lock. Returns how many rows the job has now.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED.
 */
export async function addLogs(store: Store, queue: QueueKeys, logs: LogRows): Promise<number> {
  const { jobId, token, keep } = logs;
  const args = { token, keep, rows: logs.rows };
  const reply = await store.run(script, { job: queue.job(jobId) }, args);
  return Number(accepted(script, reply, { queue, jobId }));
}
