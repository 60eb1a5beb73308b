import type { Store } from '@echomq/core';
import type { Limits } from './limits.js';
import type { QueueNames } from './queue-names.js';
import type { ScriptBackoffs } from './retries/named-backoffs.js';

/** What the engine writes about itself. `facts` holds no secret: no token, no payload. */
export interface EngineLogger {
  info(event: string, facts: object): void;
  warn(event: string, facts: object): void;
  error(event: string, facts: object): void;
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
  readonly names: QueueNames;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly logger: EngineLogger;
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
