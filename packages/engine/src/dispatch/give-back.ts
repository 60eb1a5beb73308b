import { EchoMQError, type ReplayGuard } from '@echomq/core';
import type { Clock, EngineLogger, EngineObserver } from '../ports.js';
import type { QueueLane } from './queue-lane.js';

/** A job that goes back to the front of its queue. */
export interface Returned {
  readonly jobId: string;
  readonly token: string;
  /** Life of its lock, ms: after that there is nothing to give back. */
  readonly lockMs: number;
  /** The answer that it came with can be asked for again; if it was, the job stays where it is. */
  readonly guard?: ReplayGuard;
  /** When its run began, by the store's clock: no worker has begun it, so it goes back even if its lock has lapsed. */
  readonly unbegunRun?: string;
  /** When its lock lapses, by the store's clock, ms: if it lasts longer, another server has adopted the lease. */
  readonly lapsesAt?: number;
}

/**
 * Gives jobs back to the front, so that the first of `jobs` runs first. No attempt is counted. A store that is away is
 * asked again until the locks have run out; a lease that is lost already needs nothing.
 */
export async function giveBack(
  lane: QueueLane,
  jobs: readonly Returned[],
  ports: {
    readonly clock: Clock;
    readonly logger: EngineLogger;
    /** Whether nobody may wait any longer. */
    readonly closed: () => boolean;
    readonly observer?: EngineObserver | undefined;
  },
): Promise<void> {
  const { clock, logger, closed, observer } = ports;
  await Promise.all(
    [...jobs].reverse().map(async (job) => {
      const until = clock.now() + job.lockMs;
      for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 500)) {
        try {
          const unlessReplayed = job.guard && { unlessReplayed: job.guard };
          const { jobId, token, unbegunRun, lapsesAt } = job;
          const unbegun = unbegunRun === undefined ? {} : { unbegunRun };
          const untouched = lapsesAt === undefined ? {} : { lapsesAt };
          const how = { ...unlessReplayed, ...unbegun, ...untouched };
          const back = await lane.release({ jobId, token, ...how });
          // One that was to be cancelled has failed instead.
          const end = typeof back === 'number' ? 'unbegun' : 'failed';
          observer?.jobEnded(lane.queue.name, token, end, false);
          return;
        } catch (error) {
          const again = error instanceof EchoMQError && error.retryable;
          if (!again) return noteLoss(error);
          if (closed() || clock.now() + waitMs >= until) {
            logger.warn('release.gaveUp', { queue: lane.queue.name, jobId: job.jobId });
            return;
          }
        }
        await new Promise<void>((resolve) => clock.setTimeout(resolve, waitMs));
      }
    }),
  );

  function noteLoss(error: unknown): void {
    if (error instanceof EchoMQError && error.code !== 'INTERNAL') return;
    logger.error('release.failed', { queue: lane.queue.name, error: String(error) });
  }
}
