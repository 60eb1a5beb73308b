import { InvalidRequest, TransitionRejected } from '@echomq/core';
import type { GetJobDataRequest, GetJobDataResponse } from '@echomq/proto/messages';
import type { CallContext } from '../../service.js';
import { jobId as checkedId } from '../../validation/job-id.js';
import { leaseOf } from '../../validation/lease.js';
import type { WorkerDeps } from './worker-deps.js';

const CHUNK_BYTES = 262_144;

/** GetJobData: reads a payload in parts of at most 256 KiB. */
export async function* getJobData(
  request: GetJobDataRequest,
  context: CallContext,
  deps: WorkerDeps,
): AsyncGenerator<GetJobDataResponse> {
  const data = await payloadOf(request, deps);
  let totalSize = data.length;
  for (let at = 0; at === 0 || at < data.length; at += CHUNK_BYTES) {
    if (context.signal.aborted) return;
    yield { chunk: data.subarray(at, at + CHUNK_BYTES), totalSize };
    totalSize = 0;
  }
}

async function payloadOf({ target }: GetJobDataRequest, deps: WorkerDeps): Promise<Buffer> {
  if (target?.$case === 'lease') {
    const { queue, jobId, token } = leaseOf(deps.names, target.value);
    const { keys } = queue;
    const [data, owner] = await Promise.all([
      deps.store.command('HGET', [keys.job(jobId), 'data']),
      deps.store.command('GET', [keys.lock(jobId)]),
    ]);
    const subject = { queue: queue.name, jobId };
    if (data === null) throw new TransitionRejected('getJobData', 'JOB_NOT_FOUND', subject);
    if (owner === null) throw new TransitionRejected('getJobData', 'LOCK_LOST', subject);
    if (String(owner) !== token)
      throw new TransitionRejected('getJobData', 'LOCK_NOT_OWNED', subject);
    return data as Buffer;
  }
  if (target?.$case !== 'job') throw new InvalidRequest('target', 'needs lease or job');
  const queue = deps.names.resolve(target.value.queue, 'job.queue');
  const jobId = checkedId(target.value.jobId, 'job.job_id');
  const data = await deps.store.command('HGET', [queue.keys.job(jobId), 'data']);
  if (data === null) {
    throw new TransitionRejected('getJobData', 'JOB_NOT_FOUND', { queue: queue.name, jobId });
  }
  return data as Buffer;
}
