import type { JobState as StoredState } from '@echomq/core';
import { JobState } from '@echomq/proto/messages';

/** A state that a list can name: each has one location. */
export type ListedState = Exclude<StoredState, 'unknown'>;

const STATES: Readonly<Record<StoredState, JobState>> = {
  waiting: JobState.WAITING,
  prioritized: JobState.PRIORITIZED,
  delayed: JobState.DELAYED,
  active: JobState.ACTIVE,
  'waiting-children': JobState.WAITING_CHILDREN,
  completed: JobState.COMPLETED,
  failed: JobState.FAILED,
  unknown: JobState.UNKNOWN,
};

/** All states with a location, in the order in which a job goes through them. */
export const LISTED_STATES = (Object.keys(STATES) as StoredState[]).filter(
  (state) => state !== 'unknown',
) as readonly ListedState[];

/** The contract's name of a state. */
export function jobState(state: StoredState): JobState {
  return STATES[state] ?? JobState.UNKNOWN;
}

/** The location that a state of the contract names; `undefined` for one that has none. */
export function listedState(state: JobState): ListedState | undefined {
  return LISTED_STATES.find((stored) => STATES[stored] === state);
}

/** A state in the metadata of an error: its name in the contract without the prefix, as in `WAITING_CHILDREN`. */
export function stateName(state: StoredState): string {
  return state.replace('-', '_').toUpperCase();
}
