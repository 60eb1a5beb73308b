import { addLogs as script } from '@echomq/lua';
import { type JobWriter, writerArgs } from '../job-writer.js';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import { type Receipt, replayedAnswer } from '../receipts.js';
import type { Store } from '../store.js';

/** Log rows of a job, and who writes them. */
export type LogRows = JobWriter & {
  readonly jobId: string;
  readonly rows: readonly string[];
  /** Keep the newest so many; 0 keeps all, as BullMQ's `keepLogs` does. */
  readonly keep: number;
  readonly receipt?: Receipt;
};

/**
 * Appends log rows: of a running job for the owner of its lock, of any job for `anyone`. Returns how many rows the job
 * has now; with a receipt a repeated call appends nothing and returns what the first did.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, LOCK_LOST, LOCK_NOT_OWNED, REQUEST_ID_REUSED.
 */
export async function addLogs(store: Store, queue: QueueKeys, logs: LogRows): Promise<number> {
  const { jobId, keep, rows, receipt } = logs;
  const args = { keep, rows, more: { receipt }, ...writerArgs(logs) };
  const reply = await store.run(script, { job: queue.job(jobId) }, args);
  const answer = accepted(script, reply, { queue, jobId });
  return Number(replayedAnswer(answer) ?? answer);
}
