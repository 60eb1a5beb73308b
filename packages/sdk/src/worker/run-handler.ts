import { EchoMQError, tooLarge } from '../errors.js';
import { encodeResult } from '../payload/encode.js';
import type { ActiveJob } from './active-job.js';
import { checkDue } from './active-job.js';
import {
  DelayedError,
  RateLimitError,
  UnrecoverableError,
  WaitingChildrenError,
} from './control-errors.js';
import {
  awaitingChildren,
  completed,
  delayed,
  failed,
  type RunEnd,
  rateLimited,
} from './outcomes.js';
import type { RetryWish } from './retry-delay.js';
import type { Handler, HandlerContext } from './worker-options.js';

/** What a run is judged by. */
export interface RunRules<Data, Result> {
  /** Bound on a result, in bytes, as the server has it now. */
  readonly maxResultBytes: () => number;
  /** How long the queue is held where a RateLimitError names no time. */
  readonly rateLimitMs: () => number;
  /** How a failure is to be tried again, if the worker has a say. */
  readonly retry: (job: ActiveJob<Data, Result>, thrown: unknown) => Promise<RetryWish>;
}

/** Runs a handler to its end and says how the job is to go on. Never rejects. */
export async function runHandler<Data, Result>(
  handler: Handler<Data, Result>,
  job: ActiveJob<Data, Result>,
  context: HandlerContext,
  { maxResultBytes, rateLimitMs, retry }: RunRules<Data, Result>,
): Promise<RunEnd> {
  try {
    const result = await handler(job, context);
    return job.wish ?? endOfResult(result, maxResultBytes());
  } catch (thrown) {
    return (
      controlOf(thrown, job, rateLimitMs()) ??
      failed(thrown, isUnrecoverable(thrown) ? { final: true } : await retry(job, thrown))
    );
  }
}

/** The run has had its effects: where only its result cannot be kept, another run would not help. */
function endOfResult(result: unknown, maxResultBytes: number): RunEnd {
  try {
    const bytes = encodeResult(result);
    if (bytes.length > maxResultBytes) throw tooLarge('returnvalue', maxResultBytes, bytes.length);
    return completed(result, bytes);
  } catch (error) {
    return failed(error, { final: true });
  }
}

/** The end that a control error asks for; undefined for every other: that is a failure. */
function controlOf<Data, Result>(
  thrown: unknown,
  job: ActiveJob<Data, Result>,
  rateLimitMs: number,
): RunEnd | undefined {
  if (thrown instanceof DelayedError) {
    if (thrown.until === undefined) return job.wish ?? delayed(0, { skipAttempt: true });
    try {
      checkDue(thrown.until);
    } catch (error) {
      return failed(error, { final: false });
    }
    return delayed(thrown.until, { skipAttempt: true });
  }
  if (thrown instanceof RateLimitError) return rateLimited(thrown.forMs ?? rateLimitMs);
  if (thrown instanceof WaitingChildrenError) return awaitingChildren();
  return undefined;
}

/** By name too: the class may come from another copy of this package. */
function isUnrecoverable(thrown: unknown): boolean {
  if (thrown instanceof EchoMQError) return false;
  return (
    thrown instanceof UnrecoverableError ||
    (thrown instanceof Error && thrown.name === 'UnrecoverableError')
  );
}
