import { InvalidRequest } from '@echomq/core';
import type { JobState } from '@echomq/proto/messages';
import { LISTED_STATES, type ListedState, listedState } from '../../messages/job-state.js';

/**
 * The states that a request names, each once and in its order; all when it names none.
 *
 * @throws InvalidRequest for one that has no location.
 */
export function listedStates(states: readonly JobState[]): readonly ListedState[] {
  if (states.length === 0) return LISTED_STATES;
  const listed = states.map((state, i) => {
    const stored = listedState(state);
    if (!stored) throw new InvalidRequest(`states[${i}]`, 'is no state in which jobs are listed');
    return stored;
  });
  return [...new Set(listed)];
}
