import { TransitionRejected } from '@echomq/core';
import type { GetChildrenValuesRequest, GetChildrenValuesResponse } from '@echomq/proto/messages';
import { type Lease, leaseOf } from '../../validation/lease.js';
import { childrenPage } from '../queue/children-page.js';
import type { WorkerDeps } from './worker-deps.js';

/** GetChildrenValues: what the children of a held job brought. */
export async function getChildrenValues(
  request: GetChildrenValuesRequest,
  deps: Pick<WorkerDeps, 'store' | 'names' | 'limits'>,
): Promise<GetChildrenValuesResponse> {
  const lease = leaseOf(deps.names, request.lease);
  const job = { queue: lease.queue, id: lease.jobId };
  return childrenPage(deps, job, request, () => checkHeld(deps, lease));
}

/** The lease holds now; what is read afterwards belongs to the job whoever holds it. */
async function checkHeld(
  { store }: Pick<WorkerDeps, 'store'>,
  { queue, jobId, token }: Lease,
): Promise<void> {
  const [exists, owner] = await Promise.all([
    store.command('EXISTS', [queue.keys.job(jobId)]),
    store.command('GET', [queue.keys.lock(jobId)]),
  ]);
  const refuse = (reason: 'JOB_NOT_FOUND' | 'LOCK_LOST' | 'LOCK_NOT_OWNED') => {
    throw new TransitionRejected('getChildrenValues', reason, { queue: queue.name, jobId });
  };
  if (exists !== 1) refuse('JOB_NOT_FOUND');
  if (owner === null) refuse('LOCK_LOST');
  if (String(owner) !== token) refuse('LOCK_NOT_OWNED');
}
