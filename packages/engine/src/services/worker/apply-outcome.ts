import {
  type Ending as Extras,
  type FetchingWorker,
  type FetchOutcome,
  type FinishBranch,
  type FinishOutcome,
  getJobSummary,
  InvalidRequest,
  type Receipt,
  type ReplayGuard,
} from '@echomq/core';
import {
  type CompleteOutcome,
  type DelayOutcome,
  Disposition,
  type FailOutcome,
  type FinishItem,
  type FinishResult,
  type JobOutcome,
  msToDuration,
  RetryMode,
} from '@echomq/proto/messages';
import type { QueueLane } from '../../dispatch/queue-lane.js';
import { cutText } from '../../messages/cut-text.js';
import { noteEnd } from '../../observation/job-end.js';
import type { EngineDeps } from '../../ports.js';
import { guardOf } from '../../receipts/guard.js';
import { durationMs, instantMs } from '../../validation/duration.js';
import { jsonPayload } from '../../validation/json-payload.js';
import { stackOf } from './error-stack.js';
import { logRows } from './log-rows.js';

/** A hold that ends, checked for shape. */
export interface Ending {
  readonly lane: QueueLane;
  readonly jobId: string;
  readonly token: string;
  readonly item: Pick<FinishItem, 'outcome' | 'progress' | 'logs'>;
  /** Take the next job in the same step, where the transition can. */
  readonly next?: FetchingWorker;
  /** Life of the locks that a repeated call renews, ms; absent: 30 s. */
  readonly lockMs?: number;
  /** Makes a repeated call answer as the first did. */
  readonly receipt?: Receipt;
  /** Where the item stands in the request, for messages: `` or `items[3].`. */
  readonly path: string;
}

/** What became of it. `next` is absent when nothing was fetched in the same step. */
export interface Ended {
  readonly result: FinishResult;
  readonly next?: FetchOutcome;
  /** The answer that a receipt keeps: how often it has been given again. */
  readonly guard?: ReplayGuard;
}

type Kind = NonNullable<JobOutcome['kind']>;
type Steps = {
  [C in Kind['$case']]: (value: Extract<Kind, { $case: C }>['value']) => Promise<Ended>;
};

/**
 * Ends the hold of a job: the one place where an outcome chooses its transition.
 *
 * @throws InvalidRequest for a bad outcome; TransitionRejected when the lease does not hold or the outcome does not fit
 * the job; StoreUnavailable. Nothing is fetched then.
 */
export async function applyOutcome(ending: Ending, deps: EngineDeps): Promise<Ended> {
  const { lane, jobId, token, item, next, path } = ending;
  const kind = item.outcome?.kind;
  if (!kind) throw new InvalidRequest(`${path}outcome`, 'names none that this version knows');
  const extras = extrasOf(ending, deps);
  const lease = { jobId, token, ...extras };

  const finish = async (
    target: 'completed' | 'failed',
    value: string | Uint8Array,
    options: Partial<Parameters<QueueLane['finish']>[0]['options']> = {},
  ): Promise<Ended> => {
    const worker = next
      ? { ...next, nextToken: next.token }
      : ending.lockMs && { lockDuration: ending.lockMs };
    const outcome = await lane.finish({
      jobId,
      target,
      value,
      fetchNext: next !== undefined,
      options: {
        maxMetricsSize: deps.maxMetricsDataPoints,
        ...worker,
        ...options,
        ...extras,
        token,
      },
    });
    if (outcome.problem !== undefined) {
      const facts = { queue: lane.queue.name, jobId, problem: outcome.problem };
      deps.logger.warn('job.notRetried', facts);
    }
    return ended(outcome, ending);
  };

  const steps: Steps = {
    complete: ({ returnValue }: CompleteOutcome) =>
      finish('completed', payload(returnValue, `${path}outcome.complete.return_value`, deps)),

    fail: (failure: FailOutcome) => {
      const delay = durationMs(failure.retryDelay, `${path}outcome.fail.retry_delay`);
      return finish('failed', cutText(failure.message, deps.limits.maxErrorBytes), {
        stack: stackOf(failure, deps.limits),
        stackLimit: deps.limits.maxStacks,
        retry: {
          mode: failure.retry === RetryMode.NEVER ? 'NEVER' : 'DEFAULT',
          rand: Math.random(),
          maxDelay: deps.limits.maxBackoffMs,
          ...(deps.backoffs ? { backoffs: deps.backoffs } : {}),
          ...(delay === undefined ? {} : { delay }),
        },
      });
    },

    release: async ({ toFront }) => {
      return released(await lane.release({ ...lease, toBack: !toFront }), ending, deps);
    },

    rateLimited: async ({ duration }) => {
      const limitMs = durationMs(duration, `${path}outcome.rate_limited.duration`, {
        min: 1,
        max: 86_400_000,
      });
      if (limitMs === undefined) {
        throw new InvalidRequest(`${path}outcome.rate_limited.duration`, 'is missing');
      }
      return released(await lane.release({ ...lease, limitMs }), ending, deps);
    },

    delay: async (outcome) => {
      const until = dueOf(outcome, `${path}outcome.delay`);
      const { skipAttempt } = outcome;
      const delayed = { ...lease, until, skipAttempt, ...(next ? { fetchNext: next } : {}) };
      const put = await lane.delay(delayed);
      const { result, ...rest } = ended(put, ending);
      return {
        result: { ...result, disposition: unlessFailed(put, Disposition.DELAYED) },
        ...rest,
      };
    },

    awaitChildren: async () => {
      const parked = await lane.awaitChildren(lease);
      // Nothing is pending: the last child has ended meanwhile, and the parent runs again.
      if (parked === false) return released(await lane.release(lease), ending, deps);
      const { result } = await released(parked, ending, deps);
      // A repeated call may hear that the first one found nothing pending.
      const stands = parked === true || parked.branch === 'waiting-children';
      const disposition = stands ? Disposition.WAITING_CHILDREN : result.disposition;
      return { result: { ...result, disposition } };
    },
  };
  const step = steps[kind.$case] as (value: Kind['value']) => Promise<Ended>;
  const done = await step(kind.value);
  if (deps.observer) noteEnd(deps.observer, { queue: lane.queue.name, token }, done.result);
  return done;
}

function payload(bytes: Uint8Array, field: string, { limits }: EngineDeps): Uint8Array {
  return jsonPayload(bytes, field, { limits, empty: 'null' });
}

function extrasOf({ item, path, receipt }: Ending, deps: EngineDeps): Extras {
  const logs = logRows(item.logs, `${path}logs`, deps.limits);
  return {
    ...(item.progress.length === 0
      ? {}
      : { progress: payload(item.progress, `${path}progress`, deps) }),
    ...(logs.length === 0 ? {} : { logs }),
    ...(receipt ? { receipt } : {}),
    // What is given back fails for good where somebody asked to cancel it.
    ...(deps.maxMetricsDataPoints > 0 ? { maxMetricsSize: deps.maxMetricsDataPoints } : {}),
  };
}

function dueOf(outcome: DelayOutcome, field: string): { delayMs: number } | { dueAt: number } {
  const { due } = outcome;
  if (due?.$case === 'delay') {
    return { delayMs: durationMs(due.value, `${field}.delay`, { fallback: 0 }) };
  }
  if (due?.$case === 'until') return { dueAt: instantMs(due.value, `${field}.until`) };
  throw new InvalidRequest(field, 'needs delay or until');
}

function ended(outcome: FinishOutcome, { next, receipt }: Ending): Ended {
  const { branch, attemptsMade, retryDelayMs, replays } = outcome;
  const result: FinishResult = {
    disposition: dispositionOf(branch),
    attemptsMade,
    retryIn: branch === 'delayed' ? msToDuration(retryDelayMs) : undefined,
    replayed: replays !== undefined,
  };
  const guard = receipt && { guard: guardOf(receipt, replays) };
  const found = next ?? (outcome.next.kind === 'job' || undefined);
  return { result, ...guard, ...(found && { next: outcome.next }) };
}

function dispositionOf(branch: FinishBranch): Disposition {
  if (branch === 'completed') return Disposition.COMPLETED;
  if (branch === 'failed') return Disposition.FAILED;
  return branch === 'delayed' ? Disposition.RETRY_SCHEDULED : Disposition.RETRY_QUEUED;
}

/** A job that is to be cancelled fails whatever its worker says. */
function unlessFailed({ branch }: FinishOutcome, disposition: Disposition): Disposition {
  return branch === 'failed' ? Disposition.FAILED : disposition;
}

/** A job that was given back; how many attempts it has made is read where the script does not say. */
async function released(
  outcome: FinishOutcome | number | boolean,
  ending: Ending,
  deps: EngineDeps,
): Promise<Ended> {
  if (typeof outcome === 'object') {
    const { result, ...rest } = ended(outcome, ending);
    const disposition = unlessFailed(outcome, Disposition.RELEASED);
    return { result: { ...result, disposition, retryIn: undefined }, ...rest };
  }
  const { lane, jobId } = ending;
  const job = await getJobSummary(deps.store, lane.queue.keys, jobId).catch(() => undefined);
  const attemptsMade = job?.attemptsMade ?? 0;
  const disposition = Disposition.RELEASED;
  return { result: { disposition, attemptsMade, retryIn: undefined, replayed: false } };
}
