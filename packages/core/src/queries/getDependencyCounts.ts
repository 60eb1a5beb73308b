import { getDependencyCounts as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** How a job's children stand. */
export interface DependencyCounts {
  /** Not ended. */
  readonly pending: number;
  readonly processed: number;
  /** Failed, and the policy lets the parent go on. */
  readonly ignored: number;
  /** Failed, and the parent fails too. */
  readonly failed: number;
}

/** Counts a job's children at one instant. */
export async function getDependencyCounts(
  store: Store,
  queue: QueueKeys,
  jobId: string,
): Promise<DependencyCounts> {
  const keys = {
    dependencies: queue.dependencies(jobId),
    processed: queue.processed(jobId),
    ignored: queue.ignoredFailures(jobId),
    unsuccessful: queue.failedChildren(jobId),
  };
  const counts = rows(script, await store.run(script, keys, {})).map(Number);
  const [pending = 0, processed = 0, ignored = 0, failed = 0] = counts;
  return { pending, processed, ignored, failed };
}
