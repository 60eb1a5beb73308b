import { type AddOutcome as CoreOutcome, getState } from '@echomq/core';
import { type AddedJob, AddOutcome, JobState } from '@echomq/proto/messages';
import { jobState } from '../../messages/job-state.js';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';

/** What an add did, for the answer. Where a job stood already, its location is read besides. */
export async function addedJob(
  { store }: Pick<EngineDeps, 'store'>,
  queue: NamedQueue,
  { jobId, outcome, state }: CoreOutcome,
): Promise<AddedJob> {
  if (outcome === 'created') {
    return {
      jobId,
      outcome: AddOutcome.CREATED,
      existingJobId: '',
      state: jobState(state ?? 'unknown'),
    };
  }
  // The add has been done; a read that fails must not hide that.
  const found = await getState(store, queue.keys, jobId).catch(() => undefined);
  return {
    jobId,
    outcome: AddOutcome.EXISTING,
    existingJobId: jobId,
    state: found === undefined ? JobState.UNSPECIFIED : jobState(found),
  };
}
