import { cancelJob as cancel } from '@echomq/core';
import { JobState } from '@echomq/proto/messages';
import { isLeaseToken } from '../../dispatch/lease-tokens.js';
import { LISTED_STATES } from '../../messages/job-state.js';
import type { QueueApi } from '../../service.js';
import { writeMethod } from '../unary-method.js';
import { namedJob, type QueueDeps } from './named-job.js';
import { withStates } from './with-states.js';

/** Where a job must be to be cancelled. */
const UNFINISHED = LISTED_STATES.filter((state) => state !== 'completed' && state !== 'failed');

/**
 * QueueService.CancelJob. A holder that speaks this protocol is told, wherever its stream is: at once, or with its next
 * renewal; a BullMQ worker cannot be.
 */
export function cancelJob(deps: QueueDeps): QueueApi['cancelJob'] {
  return writeMethod(deps, async (request) => {
    const job = namedJob(deps, request);
    const cancellation = {
      jobId: job.id,
      force: request.force === true,
      maxMetricsSize: deps.maxMetricsDataPoints,
    };
    const { kind, token = '' } = await withStates(deps, job, UNFINISHED, () =>
      cancel(deps.store, job.queue.keys, cancellation),
    );
    if (kind === 'failed') return { delivered: true, state: JobState.FAILED };
    return { delivered: isLeaseToken(token), state: JobState.ACTIVE };
  });
}
