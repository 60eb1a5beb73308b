import { addJobs as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { type AddOutcome, addOutcome, linked, type NewJob } from '../new-job.js';
import { accepted, rows } from '../outcomes.js';
import { type Receipt, replayedAnswer } from '../receipts.js';
import { limitFacts, rejectionOf, TransitionRejected } from '../rejections.js';
import type { Store } from '../store.js';

/** An item refused the whole batch. */
export class BatchRejected extends TransitionRejected {
  constructor(
    reason: TransitionRejected['reason'],
    queue: QueueKeys,
    /** Index of the item from 0. */
    readonly index: number,
    facts: Readonly<Record<string, string>> = {},
  ) {
    super(script.name, reason, { queue: queue.name }, facts);
  }
}

/**
 * Adds jobs of any kind in one script: all, or none when one of them is refused. Holds Redis about 5 µs a job.
 * Outcomes stand in the order given. With a receipt a repeated call adds nothing and answers as the first did.
 *
 * @throws BatchRejected PARENT_JOB_NOT_FOUND, PARENT_JOB_CANNOT_BE_REPLACED, QUEUE_FULL, PAYLOAD_TOO_LARGE;
 * TransitionRejected REQUEST_ID_REUSED; StoreFull when the store refuses new jobs.
 */
export async function addJobs(
  store: Store,
  queue: QueueKeys,
  jobs: readonly NewJob[],
  { receipt, now = '' }: { readonly receipt?: Receipt; readonly now?: number | '' } = {},
): Promise<AddOutcome[]> {
  if (jobs.length === 0) return [];
  const items = jobs.map(linked);
  const args = { prefix: queue.base, timestamp: now, jobs: items, more: { receipt } };
  const answer = accepted(script, await store.run(script, queue, args), { queue });
  const before = replayedAnswer(answer);
  const reply = rows(script, before ?? answer);
  const reason = rejectionOf(reply[0]);
  if (reason) throw new BatchRejected(reason, queue, Number(reply[1]), limitFacts(reply));
  const outcomes = reply.map(addOutcome);
  return before === undefined ? outcomes : outcomes.map((each) => ({ ...each, replayed: true }));
}
