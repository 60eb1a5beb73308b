import * as pb from '@echomq/proto/messages';
import { errorText } from './error-text.js';
import type { RetryWish } from './retry-delay.js';

/** How a run ended, for the server and for the worker's own events. */
export interface RunEnd {
  readonly outcome: pb.JobOutcome;
  /** What the events say, once the server has stored it. */
  readonly told:
    | { readonly as: 'completed'; readonly result: unknown }
    | { readonly as: 'failed'; readonly error: Error }
    | { readonly as: 'other' };
}

/** The handler returned. @param returnValue its result as JSON */
export function completed(result: unknown, returnValue: Buffer): RunEnd {
  return {
    outcome: { kind: { $case: 'complete', value: { returnValue } } },
    told: { as: 'completed', result },
  };
}

/** The handler threw. @param retry `final`: no attempt may follow; `delayMs`: when, if not as the server says */
export function failed(thrown: unknown, { final, delayMs }: RetryWish): RunEnd {
  const { name, message, stack } = errorText(thrown);
  const value: pb.FailOutcome = {
    errorName: name,
    message,
    stack,
    retry: final ? pb.RetryMode.NEVER : pb.RetryMode.DEFAULT,
    retryDelay: delayMs === undefined ? undefined : pb.msToDuration(delayMs),
    details: Buffer.alloc(0),
  };
  const error = thrown instanceof Error ? thrown : new Error(message, { cause: thrown });
  return { outcome: { kind: { $case: 'fail', value } }, told: { as: 'failed', error } };
}

/** The job goes back, no attempt counted. */
export function released({ toFront }: { readonly toFront: boolean }): RunEnd {
  return other({ $case: 'release', value: { toFront } });
}

/** The job runs later. @param until ms from now, zero or more, or an instant */
export function delayed(until: number | Date, { skipAttempt }: { readonly skipAttempt: boolean }) {
  const due: pb.DelayOutcome['due'] =
    typeof until === 'number'
      ? { $case: 'delay', value: pb.msToDuration(until) }
      : { $case: 'until', value: until };
  return other({ $case: 'delay', value: { due, skipAttempt } });
}

/** The job goes back and its queue is held. */
export function rateLimited(forMs: number): RunEnd {
  return other({ $case: 'rateLimited', value: { duration: pb.msToDuration(forMs) } });
}

/** The job waits for its children. */
export function awaitingChildren(): RunEnd {
  return other({ $case: 'awaitChildren', value: {} });
}

function other(kind: pb.JobOutcome['kind']): RunEnd {
  return { outcome: { kind }, told: { as: 'other' } };
}
