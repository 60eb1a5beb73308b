import type { RedisClient, StoredJob } from '@echomq/core';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import type { QueueDispatch } from './queue-dispatch.js';

/** What a dispatch needs besides its queue. */
export interface DispatchPorts {
  readonly deps: EngineDeps;
  readonly redis: Pick<RedisClient, 'ready'>;
  /** What must be done before a job is handed out, if anything. False: it goes back. Never rejects. */
  readonly beforeDelivery: (queue: NamedQueue, job: StoredJob) => Promise<boolean> | undefined;
  /** This process's time for an instant of the store's clock. */
  readonly localTime: (storeMs: number) => number;
  /** Whether the queue's marker should be watched from now on. */
  readonly watch: (dispatch: QueueDispatch, watched: boolean) => void;
  /** Wakes the queue when one of the jobs that use up its global concurrency may have ended. */
  readonly awaitSlot: (dispatch: QueueDispatch) => void;
}
