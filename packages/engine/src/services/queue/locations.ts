import { getRanges } from '@echomq/core';
import { SortOrder } from '@echomq/proto/messages';
import type { ListedState } from '../../messages/job-state.js';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';

/** A list or set that holds ids, and the direction in which it is read. */
export interface Location {
  readonly state: ListedState;
  readonly newestFirst: boolean;
}

/** The locations of states, one after the other. Without an order finished jobs come newest first, others oldest first. */
export function locationsOf(states: readonly ListedState[], order: SortOrder): Location[] {
  return states.map((state) => {
    const finished = state === 'completed' || state === 'failed';
    const newestFirst =
      order === SortOrder.DESCENDING || (order !== SortOrder.ASCENDING && finished);
    return { state, newestFirst };
  });
}

/** Ids of a location from `first` on, at most `count`. */
export function idsAt(
  { store }: Pick<EngineDeps, 'store'>,
  queue: NamedQueue,
  location: Location,
  { first, count }: { readonly first: number; readonly count: number },
): Promise<string[]> {
  return getRanges(store, queue.keys, { ...location, first, last: first + count - 1 });
}
