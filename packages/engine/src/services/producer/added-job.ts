import { type AddResult, type AddOutcome as CoreOutcome, getState } from '@echomq/core';
import { type AddedJob, AddOutcome, JobState } from '@echomq/proto/messages';
import { jobState } from '../../messages/job-state.js';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';

const OUTCOMES: Readonly<Record<AddResult, AddOutcome>> = {
  created: AddOutcome.CREATED,
  existing: AddOutcome.EXISTING,
  deduplicated: AddOutcome.DEDUPLICATED,
  replaced: AddOutcome.REPLACED,
  kept: AddOutcome.QUEUED_AS_NEXT,
};

/** What an add did, for the answer. Where a job stood already, its location is read besides. */
export async function addedJob(
  deps: Pick<EngineDeps, 'store'>,
  queue: NamedQueue,
  outcome: CoreOutcome,
): Promise<AddedJob> {
  if (outcome.state) return newJob(outcome, outcome.state);
  const { jobId, existingJobId = '' } = outcome;
  const state = await stateNow(deps, queue, jobId);
  return { jobId, outcome: OUTCOMES[outcome.outcome], existingJobId, state };
}

/** The same of a job that stands where the add has put it. */
export function newJob(
  { jobId, outcome, existingJobId = '' }: CoreOutcome,
  state: NonNullable<CoreOutcome['state']>,
): AddedJob {
  return { jobId, outcome: OUTCOMES[outcome], existingJobId, state: jobState(state) };
}

/** Where a job is. The add has been done: a read that fails must not hide that. */
export async function stateNow(
  { store }: Pick<EngineDeps, 'store'>,
  { keys }: NamedQueue,
  jobId: string,
): Promise<JobState> {
  const found = await getState(store, keys, jobId).catch(() => undefined);
  return found === undefined ? JobState.UNSPECIFIED : jobState(found);
}
