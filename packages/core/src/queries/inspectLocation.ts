import { inspectLocation as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** The lists and sets that hold ids, as their keys end. */
export const LOCATION_NAMES = [
  'wait',
  'paused',
  'active',
  'prioritized',
  'delayed',
  'waiting-children',
  'completed',
  'failed',
] as const;

/** One of {@link LOCATION_NAMES}. */
export type LocationName = (typeof LOCATION_NAMES)[number];

/** A part of a location that was looked at. */
export interface LocationPart {
  /** Ids that were looked at: fewer than asked for at the end. */
  readonly looked: number;
  /** Those that deserve a closer look: see `inspectJob`. */
  readonly suspects: readonly string[];
}

/**
 * Looks at ids `first` to `first + count - 1` of a location, from its head or lowest score, for those that have no job,
 * stand in a set besides, are active without a lock, or are no ids. A location of a wrong type has none.
 */
export async function inspectLocation(
  store: Store,
  queue: QueueKeys,
  part: { readonly name: LocationName; readonly first: number; readonly count: number },
): Promise<LocationPart> {
  const keys = { location: `${queue.base}${part.name}` };
  const reply = await store.run(script, keys, { prefix: queue.base, ...part });
  const [looked, ...suspects] = rows(script, reply);
  return { looked: Number(looked), suspects: suspects.map(String) };
}
