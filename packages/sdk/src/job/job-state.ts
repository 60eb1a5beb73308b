import * as pb from '@echomq/proto/messages';
import { invalid } from '../errors.js';

/** Where a job is, under the names that BullMQ's users know. `unknown`: the job exists and is in no location. */
export type JobState =
  | 'waiting'
  | 'prioritized'
  | 'delayed'
  | 'active'
  | 'waiting-children'
  | 'completed'
  | 'failed'
  | 'unknown';

const NUMBERS: Readonly<Record<JobState, pb.JobState>> = {
  waiting: pb.JobState.WAITING,
  prioritized: pb.JobState.PRIORITIZED,
  delayed: pb.JobState.DELAYED,
  active: pb.JobState.ACTIVE,
  'waiting-children': pb.JobState.WAITING_CHILDREN,
  completed: pb.JobState.COMPLETED,
  failed: pb.JobState.FAILED,
  unknown: pb.JobState.UNKNOWN,
};

/** Every state in which a job can be listed. */
export const JOB_STATES = (Object.keys(NUMBERS) as JobState[]).filter(
  (state) => state !== 'unknown',
);

const NAMES = new Map(Object.entries(NUMBERS).map(([name, number]) => [number, name as JobState]));

/** A state as the contract writes it. @throws InvalidRequest naming `field`, for a name that is none */
export function encodeState(state: JobState, field = 'states'): pb.JobState {
  if (Object.hasOwn(NUMBERS, state)) return NUMBERS[state];
  throw invalid(field, `${JSON.stringify(state)} is no state`);
}

/** A state of the contract; one that this version does not know is `unknown`. */
export function decodeState(state: pb.JobState): JobState {
  return NAMES.get(state) ?? 'unknown';
}
