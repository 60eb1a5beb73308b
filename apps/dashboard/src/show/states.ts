import { JobState } from '@echomq/proto/messages';
import { wrong } from './fields.js';

/** The states in which jobs are listed, by the names that the page has for them. */
const STATES: Readonly<Record<string, JobState>> = {
  waiting: JobState.WAITING,
  prioritized: JobState.PRIORITIZED,
  delayed: JobState.DELAYED,
  active: JobState.ACTIVE,
  'waiting-children': JobState.WAITING_CHILDREN,
  completed: JobState.COMPLETED,
  failed: JobState.FAILED,
};

/** The page's name of a state. */
export function stateName(state: JobState): string {
  return Object.keys(STATES).find((name) => STATES[name] === state) ?? 'unknown';
}

/** The state of that name. @throws Refusal where there is none */
export function stateOf(name: string): JobState {
  const state = Object.hasOwn(STATES, name) ? STATES[name] : undefined;
  if (state === undefined) throw wrong('state', `must be one of ${Object.keys(STATES).join(', ')}`);
  return state;
}
