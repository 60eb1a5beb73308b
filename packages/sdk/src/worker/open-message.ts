import * as pb from '@echomq/proto/messages';
import type { SessionSetup } from './session-setup.js';

/** What a stream begins with, besides the worker's own settings. */
interface OpenFacts {
  readonly sessionId: string;
  /** How many streams of the session there were before. */
  readonly epoch: number;
  readonly maxInFlight: number;
  readonly load: pb.WorkerLoad;
  /** What the worker holds from the last stream. */
  readonly held: pb.JobLease[];
  readonly ackedThrough: number;
}

/** The first message of a stream. */
export function openMessage<Data, Result>(
  { queues, lockMs, rateLimit, info }: SessionSetup<Data, Result>,
  { sessionId, epoch, maxInFlight, load, held, ackedThrough }: OpenFacts,
): pb.WorkOpen {
  const lockDuration = lockMs === undefined ? undefined : pb.msToDuration(lockMs);
  return {
    worker: { ...info, sessionId },
    subscriptions: queues.map((queue) => ({
      ...{ queue, maxInFlight, maxInFlightBytes: undefined, lockDuration, weight: 0, rateLimit },
    })),
    globalMaxInFlight: queues.length > 1 ? 2 * load.capacity : undefined,
    ...{ held, epoch, load, ackedThrough },
    features: ['reportBatches', 'turnBatches'],
  };
}
