import {
  type FetchingWorker,
  type FetchOutcome,
  type FinishBranch,
  type FinishOutcome,
  getJobSummary,
  InvalidRequest,
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
import type { EngineDeps } from '../../ports.js';
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
  /** Runs that had ended before this one, where that is known. */
  readonly attemptsMade?: number;
  /** Log lines that the job's options keep, where that is known. */
  readonly keepLogs?: number;
  /** Where the item stands in the request, for messages: `` or `items[3].`. */
  readonly path: string;
}

/** What became of it. `next` is absent when nothing was fetched in the same step. */
export interface Ended {
  readonly result: FinishResult;
  readonly next?: FetchOutcome;
}

/** The shape of an outcome that may carry progress and logs in its own script. */
interface Extras {
  readonly progress?: Uint8Array;
  readonly logs?: readonly string[];
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
  const lease = { jobId, token };

  const finish = async (
    target: 'completed' | 'failed',
    value: string | Uint8Array,
    options: Partial<Parameters<QueueLane['finish']>[0]['options']> = {},
  ): Promise<Ended> => {
    const worker = next && { ...next, nextToken: next.token };
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
    return ended(outcome, next);
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
          ...(delay === undefined ? {} : { delay }),
        },
      });
    },

    release: async ({ toFront }) => {
      await writeExtras(ending, extras);
      await lane.release({ ...lease, toBack: !toFront });
      return released(ending, deps);
    },

    rateLimited: async ({ duration }) => {
      const limitMs = durationMs(duration, `${path}outcome.rate_limited.duration`, {
        min: 1,
        max: 86_400_000,
      });
      if (limitMs === undefined) {
        throw new InvalidRequest(`${path}outcome.rate_limited.duration`, 'is missing');
      }
      await writeExtras(ending, extras);
      await lane.release({ ...lease, limitMs });
      return released(ending, deps);
    },

    delay: async (outcome) => {
      const until = dueOf(outcome, `${path}outcome.delay`);
      const delayMs = 'delayMs' in until ? until.delayMs : Math.max(0, until.dueAt - Date.now());
      await writeExtras(ending, extras);
      const { skipAttempt } = outcome;
      const delayed = { ...lease, until, skipAttempt, ...(next ? { fetchNext: next } : {}) };
      const { result, ...rest } = ended(await lane.delay(delayed), next);
      const disposition = Disposition.DELAYED;
      return { result: { ...result, disposition, retryIn: msToDuration(delayMs) }, ...rest };
    },

    awaitChildren: async () => {
      await writeExtras(ending, extras);
      if (await lane.awaitChildren(lease)) {
        const { result } = await released(ending, deps);
        return { result: { ...result, disposition: Disposition.WAITING_CHILDREN } };
      }
      // The last child has ended meanwhile: the parent has nothing to wait for and runs again.
      await lane.release(lease);
      return released(ending, deps);
    },
  };
  const step = steps[kind.$case] as (value: Kind['value']) => Promise<Ended>;
  return step(kind.value);
}

function payload(bytes: Uint8Array, field: string, { limits }: EngineDeps): Uint8Array {
  return jsonPayload(bytes, field, { limits, empty: 'null' });
}

function extrasOf({ item, path }: Ending, deps: EngineDeps): Extras {
  const logs = logRows(item.logs, `${path}logs`, deps.limits);
  return {
    ...(item.progress.length === 0
      ? {}
      : { progress: payload(item.progress, `${path}progress`, deps) }),
    ...(logs.length === 0 ? {} : { logs }),
  };
}

/** For transitions that do not take them along: before the transition, while the lease holds. */
async function writeExtras(
  { lane, jobId, token, keepLogs }: Ending,
  extras: Extras,
): Promise<void> {
  const { progress, logs } = extras;
  const lease = { jobId, token };
  await Promise.all([
    progress && lane.progress({ ...lease, progress }),
    logs && lane.log({ ...lease, rows: logs, keep: keepLogs ?? 0 }),
  ]);
}

function dueOf(outcome: DelayOutcome, field: string): { delayMs: number } | { dueAt: number } {
  const { due } = outcome;
  if (due?.$case === 'delay') {
    return { delayMs: durationMs(due.value, `${field}.delay`, { fallback: 0 }) };
  }
  if (due?.$case === 'until') return { dueAt: instantMs(due.value, `${field}.until`) };
  throw new InvalidRequest(field, 'needs delay or until');
}

function ended(outcome: FinishOutcome, next: FetchingWorker | undefined): Ended {
  const { branch, attemptsMade, retryDelayMs } = outcome;
  const result: FinishResult = {
    disposition: dispositionOf(branch),
    attemptsMade,
    retryIn: branch === 'delayed' ? msToDuration(retryDelayMs) : undefined,
    replayed: false,
  };
  return next ? { result, next: outcome.next } : { result };
}

function dispositionOf(branch: FinishBranch): Disposition {
  if (branch === 'completed') return Disposition.COMPLETED;
  if (branch === 'failed') return Disposition.FAILED;
  return branch === 'delayed' ? Disposition.RETRY_SCHEDULED : Disposition.RETRY_QUEUED;
}

/** A job that was given back; how many attempts it has made is read where the caller does not know. */
async function released({ lane, jobId, attemptsMade }: Ending, deps: EngineDeps): Promise<Ended> {
  const made =
    attemptsMade ??
    (await getJobSummary(deps.store, lane.queue.keys, jobId).catch(() => undefined))?.attemptsMade;
  const disposition = Disposition.RELEASED;
  return { result: { disposition, attemptsMade: made ?? 0, retryIn: undefined, replayed: false } };
}
