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
  type DelayOutcome,
  Disposition,
  type FailOutcome,
  type FinishItem,
  type FinishResult,
  type JobOutcome,
  msToDuration,
  type RateLimitedOutcome,
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
import type { WorkerDeps } from './worker-deps.js';

/** A hold that ends, checked for shape. */
export interface Ending {
  readonly lane: QueueLane;
  readonly jobId: string;
  readonly token: string;
  readonly item: Pick<FinishItem, 'outcome' | 'progress' | 'logs'>;
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
  readonly next?: FetchOutcome | undefined;
  /** The answer that a receipt keeps: how often it has been given again. */
  readonly guard?: ReplayGuard | undefined;
}

/**
 * Ends the hold of a job: the one place where an outcome chooses its transition.
 *
 * @param next takes the next job in the same step, where the transition can.
 * @throws InvalidRequest for a bad outcome; TransitionRejected when the lease does not hold or the outcome does not fit
 * the job; StoreUnavailable. Nothing is fetched then.
 */
export function applyOutcome(
  ending: Ending,
  deps: WorkerDeps,
  next?: FetchingWorker,
): Promise<Ended> {
  const { observer } = deps;
  const done = begun(ending, deps, next);
  if (!observer) return done;
  return done.then((ended) => {
    noteEnd(observer, { queue: ending.lane.queue.name, token: ending.token }, ended.result);
    return ended;
  });
}

/** A bad outcome rejects as what the store refuses does. No promise of its own: this is the way of every job. */
function begun(ending: Ending, deps: WorkerDeps, next?: FetchingWorker): Promise<Ended> {
  const { item, path } = ending;
  try {
    const kind = item.outcome?.kind;
    if (!kind) throw new InvalidRequest(`${path}outcome`, 'names none that this version knows');
    return step(kind, ending, { extras: extrasOf(ending, deps), deps, next });
  } catch (error) {
    return Promise.reject(error);
  }
}

interface StepWith {
  readonly extras: Extras;
  readonly deps: WorkerDeps;
  readonly next?: FetchingWorker | undefined;
}

/** The transition that an outcome chooses. Each case is small: this is the way of every job. */
function step(
  kind: NonNullable<JobOutcome['kind']>,
  ending: Ending,
  { extras, deps, next }: StepWith,
): Promise<Ended> {
  const { path } = ending;
  switch (kind.$case) {
    case 'complete': {
      const field = `${path}outcome.complete.return_value`;
      const value = payload(kind.value.returnValue, field, deps);
      return finish(ending, { target: 'completed', value, options: extras, next }, deps);
    }
    case 'fail': {
      const value = cutText(kind.value.message, deps.limits.maxErrorBytes);
      const options = { ...failureOptions(kind.value, path, deps), ...extras };
      return finish(ending, { target: 'failed', value, options, next }, deps);
    }
    case 'release':
      return release(ending, { ...extras, toBack: !kind.value.toFront }, deps);
    case 'rateLimited':
      return hold(ending, { ...extras, limitMs: limitOf(kind.value, path) }, deps);
    case 'delay':
      return delay(ending, { outcome: kind.value, extras, next });
    case 'awaitChildren':
      return awaitChildren(ending, { extras, deps });
  }
}

type Finishing = Parameters<QueueLane['finish']>[0];
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** How a run ends, and who takes the next job. */
interface RunEnding {
  readonly target: Finishing['target'];
  readonly value: Finishing['value'];
  readonly options: Partial<Finishing['options']>;
  readonly next: FetchingWorker | undefined;
}

function finish(
  ending: Ending,
  { target, value, options: own, next }: RunEnding,
  deps: EngineDeps,
): Promise<Ended> {
  const { lane, jobId, token } = ending;
  const options: Writable<Finishing['options']> = own as Finishing['options'];
  options.token = token;
  options.maxMetricsSize = deps.maxMetricsDataPoints;
  if (next) {
    options.nextToken = next.token;
    options.lockDuration = next.lockDuration;
    if (next.name !== undefined) options.name = next.name;
    if (next.limiter) options.limiter = next.limiter;
    if (next.buffered) options.buffered = true;
  } else if (ending.lockMs) {
    options.lockDuration = ending.lockMs;
  }
  const fetchNext = next !== undefined;
  return lane.finish({ jobId, target, value, fetchNext, options }).then((outcome) => {
    if (outcome.problem !== undefined) {
      const facts = { queue: lane.queue.name, jobId, problem: outcome.problem };
      deps.logger.warn('job.notRetried', facts);
    }
    return ended(outcome, ending, next);
  });
}

function failureOptions(
  failure: FailOutcome,
  path: string,
  deps: EngineDeps,
): Partial<Finishing['options']> {
  const delayMs = durationMs(failure.retryDelay, `${path}outcome.fail.retry_delay`);
  return {
    stack: stackOf(failure, deps.limits),
    stackLimit: deps.limits.maxStacks,
    retry: {
      mode: failure.retry === RetryMode.NEVER ? 'NEVER' : 'DEFAULT',
      rand: Math.random(),
      maxDelay: deps.limits.maxBackoffMs,
      ...(deps.backoffs ? { backoffs: deps.backoffs } : {}),
      ...(delayMs === undefined ? {} : { delay: delayMs }),
    },
  };
}

async function release(
  ending: Ending,
  how: Omit<Parameters<QueueLane['release']>[0], 'jobId' | 'token'>,
  deps: EngineDeps,
): Promise<Ended> {
  const { lane, jobId, token } = ending;
  return released(await lane.release({ jobId, token, ...how }), ending, deps);
}

/** Gives the job back and holds its queue: what waits at workers for a slot would run into the same limit. */
function hold(
  ending: Ending,
  how: Parameters<typeof release>[1],
  deps: WorkerDeps,
): Promise<Ended> {
  deps.buffers.recallAll(ending.lane.queue.keys.base);
  return release(ending, how, deps);
}

function limitOf({ duration }: RateLimitedOutcome, path: string): number {
  const field = `${path}outcome.rate_limited.duration`;
  const limitMs = durationMs(duration, field, { min: 1, max: 86_400_000 });
  if (limitMs === undefined) throw new InvalidRequest(field, 'is missing');
  return limitMs;
}

async function delay(
  ending: Ending,
  { outcome, extras, next }: Pick<StepWith, 'extras' | 'next'> & { readonly outcome: DelayOutcome },
): Promise<Ended> {
  const { lane, jobId, token, path } = ending;
  const until = dueOf(outcome, `${path}outcome.delay`);
  const { skipAttempt } = outcome;
  const fetchNext = next ? { fetchNext: next } : {};
  const put = await lane.delay({ jobId, token, ...extras, until, skipAttempt, ...fetchNext });
  const { result, ...rest } = ended(put, ending, next);
  return { result: { ...result, disposition: unlessFailed(put, Disposition.DELAYED) }, ...rest };
}

async function awaitChildren(ending: Ending, { extras, deps }: StepWith): Promise<Ended> {
  const { lane, jobId, token } = ending;
  const lease = { jobId, token, ...extras };
  const parked = await lane.awaitChildren(lease);
  // Nothing is pending: the last child has ended meanwhile, and the parent runs again.
  if (parked === false) return released(await lane.release(lease), ending, deps);
  const { result } = await released(parked, ending, deps);
  // A repeated call may hear that the first one found nothing pending.
  const stands = parked === true || parked.branch === 'waiting-children';
  const disposition = stands ? Disposition.WAITING_CHILDREN : result.disposition;
  return { result: { ...result, disposition } };
}

function payload(bytes: Uint8Array, field: string, { limits }: EngineDeps): Uint8Array {
  return jsonPayload(bytes, field, { limits, empty: 'null' });
}

/** An object of its own, to which more may be added. */
function extrasOf({ item, path, receipt }: Ending, deps: EngineDeps): Extras {
  const extras: Writable<Extras> = {};
  if (item.progress.length > 0) extras.progress = payload(item.progress, `${path}progress`, deps);
  if (item.logs.length > 0) extras.logs = logRows(item.logs, `${path}logs`, deps.limits);
  if (receipt) extras.receipt = receipt;
  // What is given back fails for good where somebody asked to cancel it.
  if (deps.maxMetricsDataPoints > 0) extras.maxMetricsSize = deps.maxMetricsDataPoints;
  return extras;
}

function dueOf(outcome: DelayOutcome, field: string): { delayMs: number } | { dueAt: number } {
  const { due } = outcome;
  if (due?.$case === 'delay') {
    return { delayMs: durationMs(due.value, `${field}.delay`, { fallback: 0 }) };
  }
  if (due?.$case === 'until') return { dueAt: instantMs(due.value, `${field}.until`) };
  throw new InvalidRequest(field, 'needs delay or until');
}

function ended(outcome: FinishOutcome, { receipt }: Ending, next?: FetchingWorker): Ended {
  const { branch, attemptsMade, retryDelayMs, replays } = outcome;
  const result: FinishResult = {
    disposition: dispositionOf(branch),
    attemptsMade,
    retryIn: branch === 'delayed' ? msToDuration(retryDelayMs) : undefined,
    replayed: replays !== undefined,
  };
  return {
    result,
    guard: receipt && guardOf(receipt, replays),
    next: next || outcome.next.kind === 'job' ? outcome.next : undefined,
  };
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
