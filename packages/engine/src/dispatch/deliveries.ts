import { EchoMQError, type FetchOutcome } from '@echomq/core';
import { CorruptJob } from '../messages/corrupt-job.js';
import { deliveredJob } from '../messages/delivered-job.js';
import { deliveredSize } from '../messages/sizes.js';
import type { EngineDeps } from '../ports.js';
import type { Delivery } from './consumer.js';
import type { QueueLane } from './queue-lane.js';

type Fetched = Extract<FetchOutcome, { kind: 'job' }>['job'];

/**
 * Makes the delivery of a job that was just taken. A corrupt one is failed at once, for good, and answers `undefined`:
 * it blocks nobody.
 */
export function deliveryOf(
  lane: QueueLane,
  job: Fetched,
  lease: Pick<Delivery, 'token' | 'lockMs' | 'guard' | 'buffered' | 'unbegunRun' | 'takenAt'>,
  deps: EngineDeps,
): Delivery | undefined {
  try {
    const delivered = deliveredJob(lane.queue, job, lease);
    const bytes = deliveredSize(delivered);
    if (bytes - delivered.data.length > deps.limits.maxMessageBytes) {
      // A foreign writer's: nobody could take it, and its stream would break on it again and again.
      throw new CorruptJob(job.id, 'it is too large for a message, even without its data');
    }
    // Written out, not spread: this is made for every job.
    const { token, lockMs, unbegunRun, takenAt, guard, buffered } = lease;
    const delivery: { -readonly [K in keyof Delivery]: Delivery[K] } = {
      job: delivered,
      jobId: job.id,
      token,
      bytes,
      lockMs,
      unbegunRun,
      takenAt,
    };
    if (guard) delivery.guard = guard;
    if (buffered) delivery.buffered = buffered;
    return delivery;
  } catch (error) {
    if (!(error instanceof CorruptJob)) {
      // A fault of ours: it must not keep the job under a lock that nobody knows of.
      deps.logger.error('job.unreadable', { queue: lane.queue.name, jobId: job.id, error });
    }
    const problem = error instanceof CorruptJob ? error.problem : 'it cannot be read';
    void failCorrupt(lane, { jobId: job.id, token: lease.token }, { problem, deps });
    return undefined;
  }
}

async function failCorrupt(
  lane: QueueLane,
  lease: { readonly jobId: string; readonly token: string },
  { problem, deps }: { readonly problem: string; readonly deps: EngineDeps },
): Promise<void> {
  const { token, jobId } = lease;
  const facts = { queue: lane.queue.name, jobId };
  deps.logger.warn('job.corrupt', { ...facts, problem });
  try {
    await lane.finish({
      jobId,
      target: 'failed',
      value: `job is corrupt: ${problem}`,
      fetchNext: false,
      options: { token, retry: { mode: 'NEVER' }, maxMetricsSize: deps.maxMetricsDataPoints },
    });
    deps.observer?.jobEnded(lane.queue.name, token, 'failed', false);
  } catch (error) {
    // Its lock lapses and the next fetch meets it again.
    const reason = error instanceof EchoMQError ? error.reason : String(error);
    deps.logger.warn('job.corrupt.notFailed', { ...facts, reason });
  }
}
