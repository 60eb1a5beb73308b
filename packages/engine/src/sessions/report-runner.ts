import { ContractBroken, EchoMQError, type Receipt } from '@echomq/core';
import { type JobLease, JobSignalKind, type WorkProgress } from '@echomq/proto/messages';
import { type Delivery, type FetchTerms, fetchingWorker } from '../dispatch/consumer.js';
import type { QueueDispatch } from '../dispatch/queue-dispatch.js';
import { appendLogs } from '../services/worker/appendLogs.js';
import { insist } from '../services/worker/insist.js';
import { updateProgress } from '../services/worker/updateProgress.js';
import type { WorkerDeps } from '../services/worker/worker-deps.js';
import type { SessionEffect } from './effects.js';
import type { Applied } from './report-desk.js';
import { jobSignal } from './session-messages.js';

/** A report that was carried to the store, and the job that came with its end. */
export interface Carried {
  readonly applied: Applied;
  readonly delivery?: Delivery | undefined;
}

/**
 * Carries a report to the store. `terms`: on which to fetch the next job in the same step; absent: fetch none. What an
 * earlier attempt has fetched, here or at another server, comes along all the same.
 */
export async function carryReport(
  { report, holding, buffered }: Extract<SessionEffect, { kind: 'apply' }>,
  to: {
    readonly dispatch: QueueDispatch;
    readonly terms?: FetchTerms | undefined;
    readonly receipt: Receipt;
  },
  deps: WorkerDeps,
): Promise<Carried> {
  const { dispatch, terms, receipt } = to;
  const { jobId, token, lockMs } = holding;
  const { lane } = dispatch;
  const asked = dispatch.asking();
  try {
    const { ended, worker } = await insist(
      { lane, jobId, token, item: report, path: '', lockMs, receipt },
      {
        leaseUntil: () => deps.keeper.validUntil(lane, token),
        next: () => terms && fetchingWorker(terms, deps.maxMetricsDataPoints, undefined, buffered),
      },
      deps,
    );
    const { next, guard } = ended;
    // What an earlier attempt has fetched may be marked so, whatever this one asked for.
    const lease = worker ?? { token, lockDuration: lockMs, buffered: true };
    const taken = next && dispatch.fetched(next, lease, asked, guard);
    const delivery = taken instanceof Promise ? await taken : taken;
    const unbuffered = next?.kind === 'unbuffered';
    return { applied: { result: ended.result, ...(unbuffered && { unbuffered }) }, delivery };
  } catch (error) {
    return { applied: { error: errorOf(error, deps) } };
  }
}

/** Carries progress or log lines to the store. What fails comes back as a signal for the worker. */
export async function carryNote(
  effect: Extract<SessionEffect, { kind: 'progress' | 'logs' }>,
  deps: WorkerDeps,
): Promise<SessionEffect | undefined> {
  const { lease } = effect.message;
  try {
    await (effect.kind === 'progress'
      ? writeProgress(effect.message, deps)
      : writeLogs(effect, deps));
    return undefined;
  } catch (error) {
    return signalOf(lease, errorOf(error, deps));
  }
}

function writeProgress(message: WorkProgress, deps: WorkerDeps): Promise<unknown> {
  return updateProgress(message, deps);
}

function writeLogs(
  { message, keepLogs = 0 }: Extract<SessionEffect, { kind: 'logs' }>,
  deps: WorkerDeps,
): Promise<unknown> {
  // The options were read at the delivery: a look at them now would let the report pass the lines.
  return appendLogs({ ...message, keep: message.keep ?? keepLogs, requestId: '' }, deps);
}

function signalOf(lease: JobLease | undefined, { reason, message }: EchoMQError): SessionEffect {
  const { queue = '', jobId = '', leaseToken: token = '' } = lease ?? {};
  const lost = reason === 'LOCK_LOST' || reason === 'LOCK_NOT_OWNED';
  const kind = lost ? JobSignalKind.LOCK_LOST : JobSignalKind.UNSPECIFIED;
  const gone = reason === 'JOB_NOT_FOUND';
  return jobSignal({ queue, jobId, token }, gone ? JobSignalKind.REMOVED : kind, message);
}

function errorOf(error: unknown, { logger }: WorkerDeps): EchoMQError {
  if (error instanceof EchoMQError && error.code !== 'INTERNAL') return error;
  logger.error('stream.failed', { error: String(error) });
  return error instanceof EchoMQError ? error : new ContractBroken('a report failed', error);
}
