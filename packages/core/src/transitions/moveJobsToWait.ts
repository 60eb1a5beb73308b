import { moveJobsToWait as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** Which jobs are to run (again). */
export interface BulkMove {
  readonly state: 'completed' | 'failed' | 'delayed';
  /** At most so many in this script. */
  readonly limit: number;
  /** Only jobs whose score is not higher: finished at (ms), or for `delayed` the due time * 4096. All by default. */
  readonly maxScore?: number;
}

/** Bulk retry of finished jobs, or bulk promotion of delayed ones. Priorities are kept. */
export async function moveJobsToWait(
  store: Store,
  queue: QueueKeys,
  move: BulkMove,
): Promise<{ readonly moved: number; readonly more: boolean }> {
  const keys = { ...queue, location: queue[move.state] };
  const reply = await store.run(script, keys, {
    prefix: queue.base,
    state: move.state,
    limit: move.limit,
    latest: move.maxScore ?? '',
  });
  const [moved, more] = rows(script, reply);
  return { moved: Number(moved), more: String(more) === '1' };
}
