import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import { jobId } from '../../validation/job-id.js';
import { refuseKeyName } from './job-errors.js';

/** What the methods of QueueService work with. */
export type QueueDeps = Pick<
  EngineDeps,
  'store' | 'names' | 'limits' | 'clock' | 'logger' | 'maxMetricsDataPoints'
>;

/** What those work with that change when a queue hands out jobs. */
export type GateDeps = QueueDeps & {
  /** Told of a queue whose gate or limit has just changed, so that this server looks at it anew. */
  readonly onGateChange: (queue: NamedQueue) => void;
};

/** A job that a request names; whether it exists is not known yet. */
export interface NamedJob {
  readonly queue: NamedQueue;
  readonly id: string;
}

/**
 * The job that a request names.
 *
 * @throws InvalidRequest for a bad name or id; EchoMQError JOB_NOT_FOUND for an id that no job can have.
 */
export function namedJob(
  { names }: Pick<EngineDeps, 'names'>,
  request: { readonly queue: string; readonly jobId: string },
): NamedJob {
  const queue = names.resolve(request.queue);
  const id = jobId(request.jobId);
  refuseKeyName(queue, id);
  return { queue, id };
}
