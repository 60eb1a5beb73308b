import { setTimeout as sleep } from 'node:timers/promises';
import { EchoMQError } from '../errors.js';
import { fullJitter } from './backoff.js';
import type { CallOptions } from './transport.js';
import { cancelled } from './within-time.js';

/** Tries of one call, the first included. */
const MAX_TRIES = 4;

/** Reasons with which the gateway says that surely nothing was done: any call may be sent again. */
const NOTHING_DONE = new Set([
  'BACKEND_UNAVAILABLE',
  'GATEWAY_DRAINING',
  'TOO_MANY_WAITERS',
  'TOO_MANY_STREAMS',
  'QUOTA_EXCEEDED',
  'BACKEND_OUT_OF_MEMORY',
  'TOKEN_UNAVAILABLE',
]);

/** What may be done again. */
export interface RetryPolicy {
  /** False: never; somebody else repeats it. */
  readonly mayRepeat: boolean;
  /** Also where it may have been carried out: a second time it changes nothing. Asked only then. */
  readonly mayRepeatUnknown: () => boolean | Promise<boolean>;
}

/**
 * Runs a call and repeats it after a failure that may pass, within the call's time. Over-size and other hopeless
 * requests fail at once.
 *
 * @param attempt one try, with the time that is left
 * @param policyOf asked once the first attempt has failed: nearly none does
 */
export function retrying<T>(
  attempt: (left: CallOptions) => Promise<T>,
  options: CallOptions,
  policyOf: () => RetryPolicy,
): Promise<T> {
  const limit = performance.now() + options.timeoutMs;
  // The first attempt has all the time that there is, to the millisecond: calls of one length share a timer.
  return attempt(options).then(undefined, (error: unknown) =>
    repeating({ attempt, limit, signal: options.signal, policy: policyOf() }, error),
  );
}

interface Repeated<T> {
  readonly attempt: (left: CallOptions) => Promise<T>;
  /** When its time is over, by `performance.now()`. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
  readonly policy: RetryPolicy;
}

async function repeating<T>(call: Repeated<T>, first: unknown): Promise<T> {
  const { attempt, limit, signal, policy } = call;
  let error = first;
  for (let tried = 1; ; tried += 1) {
    if (!(error instanceof EchoMQError)) throw error;
    if (tried >= MAX_TRIES || !(await isWorthwhile(error, policy))) throw error;
    const waitMs = Math.max(fullJitter(tried, 100, 2_000), error.retryAfterMs ?? 0);
    // A wait past the limit would only replace this error by one that says less.
    if (performance.now() + waitMs >= limit) throw error;
    await pause(waitMs, signal);
    try {
      return await attempt({ timeoutMs: Math.max(1, limit - performance.now()), signal });
    } catch (again) {
      error = again;
    }
  }
}

async function isWorthwhile(error: EchoMQError, policy: RetryPolicy): Promise<boolean> {
  if (!error.retryable || !policy.mayRepeat || error.code === 'DEADLINE_EXCEEDED') return false;
  return NOTHING_DONE.has(error.reason) || (await policy.mayRepeatUnknown());
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (cause) {
    throw cancelled(cause);
  }
}
