import type { Store, StoreWatch } from '@echomq/core';
import type { Adds } from './dispatch/adds.js';
import type { Limits } from './limits.js';
import type { QueueNames } from './queue-names.js';
import type { AddSlots } from './receipts/add-slots.js';
import type { ScriptBackoffs } from './retries/named-backoffs.js';

/** What the engine writes about itself. `facts` holds no secret: no token, no payload. */
export interface EngineLogger {
  info(event: string, facts: object): void;
  warn(event: string, facts: object): void;
  error(event: string, facts: object): void;
}

/** What became of a job when a worker's hold of it ended. */
export type JobEnd =
  | 'completed'
  | 'failed'
  | 'retried'
  | 'delayed'
  | 'released'
  | 'parked'
  /** No worker had begun on it, and it went back. */
  | 'unbegun';

/**
 * Hears what an engine does, to measure it: the one seam for metrics. Called in the midst of the work with plain values:
 * quick, never throws, and nothing is made for it where it is absent. Queues are named as clients name them.
 */
export interface EngineObserver extends StoreWatch {
  /** Jobs were added through this engine; duplicates and repeated requests are not counted. */
  jobsAdded(queue: string, count: number): void;
  /**
   * A job was taken for a worker.
   *
   * @param token of its lease
   * @param waitMs from when it was ready to its first start; absent: it had been started before
   */
  jobStarted(queue: string, token: string, waitMs?: number): void;
  /**
   * The hold of a job ended by an outcome that was stored, or by going back before anybody had begun.
   *
   * @param replayed an earlier call had ended it: that one's answer may have been lost before it was told here
   */
  jobEnded(queue: string, token: string, end: JobEnd, replayed: boolean): void;
  /** A sweep took jobs from silent workers: `recovered` run again, `failed` had stalled too often. */
  jobsStalled(queue: string, recovered: number, failed: number): void;
  /** A sweep put jobs back that their workers had not begun: those have not stalled. */
  jobsReturned(queue: string, unbegun: number): void;
  /** So many locks were renewed, so many were found lost or ran out before they could be. */
  locksRenewed(queue: string, renewed: number, lost: number): void;
}

/** The time and the timers of the engine, so that tests can move them. */
export interface Clock {
  /** Milliseconds since the epoch, with fractions; never steps back. */
  now(): number;
  /** Runs `then` once after so many ms. Spans beyond what a timer can hold are cut to that. */
  setTimeout(then: () => void, delayMs: number): unknown;
  /** Stops a timer; one that has run, or `undefined`, is no error. */
  clearTimeout(handle: unknown): void;
}

/** What every service of the engine works with. */
export interface EngineDeps {
  readonly store: Store;
  /** The way of single adds to the store. */
  readonly adds: Adds;
  /** The receipts of adds from this process. */
  readonly slots: AddSlots;
  readonly names: QueueNames;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: EngineLogger;
  /** Absent: nothing is measured. */
  readonly observer?: EngineObserver | undefined;
  /** Version of the server that runs the engine, for GetServerInfo. */
  readonly serverVersion: string;
  /** Minutes of metrics to keep per queue; 0 keeps none. */
  readonly maxMetricsDataPoints: number;
  /** The backoffs that jobs name; absent: there are none. */
  readonly backoffs?: ScriptBackoffs | undefined;
}

/** The longest span that a Node timer holds, ms. */
const MAX_TIMER_MS = 2_147_483_647;

/** The clock of this process; it does not follow steps of the system's clock. */
export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  setTimeout: (then, delayMs) => setTimeout(then, Math.max(0, Math.min(delayMs, MAX_TIMER_MS))),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout | undefined),
};

/** Writes nothing. */
export const silentLogger: EngineLogger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
