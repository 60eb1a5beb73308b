import { getRanges } from '@echomq/core';
import { SortOrder } from '@echomq/proto/messages';
import type { ListedState } from '../../messages/job-state.js';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';

/** A list or set that holds ids, and the direction in which it is read. */
export interface Location {
  readonly state: ListedState;
  readonly newestFirst: boolean;
  /** The list in which a BullMQ 5 peer parks the waiting jobs of a paused queue. */
  readonly parked: boolean;
}

/** The locations of states, one after the other. Without an order finished jobs come newest first, others oldest first. */
export function locationsOf(states: readonly ListedState[], order: SortOrder): Location[] {
  return states.flatMap((state) => {
    const finished = state === 'completed' || state === 'failed';
    const newestFirst =
      order === SortOrder.DESCENDING || (order !== SortOrder.ASCENDING && finished);
    const location = { state, newestFirst, parked: false };
    return state === 'waiting' ? [location, { ...location, parked: true }] : [location];
  });
}

/** Ids of a location from `first` on, at most `count`. */
export async function idsAt(
  { store }: Pick<EngineDeps, 'store'>,
  queue: NamedQueue,
  location: Location,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<string[]> {
  const last = first + count - 1;
  const { state, newestFirst } = location;
  if (!location.parked) return getRanges(store, queue.keys, { state, first, last, newestFirst });
  // A list has its newest at the head.
  const [from, to] = newestFirst ? [first, last] : [-last - 1, -first - 1];
  const reply = await store.command('LRANGE', [queue.keys.paused, from, to]);
  const ids = Array.isArray(reply) ? reply.map(String) : [];
  return newestFirst ? ids : ids.reverse();
}
