import { inspectKeys as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** What some keys of a queue are. */
export interface InspectedKeys {
  /** Jobs that are in none of the sets; they may stand in a list. */
  readonly unplaced: readonly string[];
  /** Jobs that have a lock and are not active. */
  readonly locked: readonly string[];
  /** Deduplication ids that never lapse, of jobs that are gone. */
  readonly deduplication: readonly string[];
}

/**
 * Looks at keys for what only their names lead to.
 *
 * @param names what comes after the queue's prefix in each, at most some hundred
 */
export async function inspectKeys(
  store: Store,
  queue: QueueKeys,
  names: readonly string[],
): Promise<InspectedKeys> {
  const args = { prefix: queue.base, names };
  const found = rows(script, await store.run(script, { active: queue.active }, args)).map(String);
  const of = (kind: string) => found.filter((_, at) => at % 2 === 1 && found[at - 1] === kind);
  return { unplaced: of('job'), locked: of('lock'), deduplication: of('deduplication') };
}
