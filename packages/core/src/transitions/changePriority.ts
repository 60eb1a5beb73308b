import { changePriority as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted } from '../outcomes.js';
import type { Store } from '../store.js';

/** A new priority for a job. */
export interface PriorityChange {
  readonly jobId: string;
  /** 0 for none, else 1 to 2097151. */
  readonly priority: number;
  /** Run next among its equals. */
  readonly lifo?: boolean;
}

/**
 * Changes a job's priority and, while it waits to run, its place. A delayed job goes by it when it is due.
 *
 * @throws TransitionRejected JOB_NOT_FOUND.
 */
export async function changePriority(
  store: Store,
  queue: QueueKeys,
  change: PriorityChange,
): Promise<void> {
  const { jobId, priority } = change;
  const args = { jobId, prefix: queue.base, priority, lifo: change.lifo ?? false };
  accepted(script, await store.run(script, queue, args), { queue, jobId });
}
