import * as pb from '@echomq/proto/messages';
import { type EchoMQError, errorOf } from '../errors.js';

/** Why a run no longer counts, in words. */
const SIGNALS: Readonly<Record<number, string>> = {
  [pb.JobSignalKind.LOCK_LOST]: 'the lease is over',
  [pb.JobSignalKind.REMOVED]: 'the job was removed',
  [pb.JobSignalKind.LOCK_MAX_LIFETIME]: 'the lease was renewed for as long as it may be',
};

const STATUSES: Readonly<Record<number, string>> = {
  [pb.LeaseStatus.LOST]: 'the lock ran out',
  [pb.LeaseStatus.NOT_OWNED]: 'another delivery owns the job',
  [pb.LeaseStatus.NOT_FOUND]: 'the job is gone',
};

/** The error of a signal that ends the lease; undefined for the others. */
export function lostBySignal(signal: pb.JobSignal): EchoMQError | undefined {
  const message = SIGNALS[signal.kind];
  if (message === undefined) return undefined;
  return leaseLost(signal.detail ? `${message}: ${signal.detail}` : message, signal.lease);
}

/** The error of a status that ends the lease; undefined for the others. */
export function lostByStatus(status: pb.LeaseStatus, lease: pb.JobLease): EchoMQError | undefined {
  const message = STATUSES[status];
  return message === undefined ? undefined : leaseLost(message, lease);
}

/** A lease that is over. */
export function leaseLost(message: string, lease: pb.JobLease | undefined): EchoMQError {
  return errorOf(message, {
    code: 'FAILED_PRECONDITION',
    reason: 'LOCK_LOST',
    metadata: { queue: lease?.queue ?? '', jobId: lease?.jobId ?? '' },
  });
}

/** Somebody wants the job cancelled. */
export function jobCancelled(lease: pb.JobLease): EchoMQError {
  return errorOf('the job is to be cancelled', {
    code: 'ABORTED',
    reason: 'CANCEL_REQUESTED',
    metadata: { queue: lease.queue, jobId: lease.jobId },
  });
}

/** The worker has given the job back because it closes. */
export function workerClosed(lease: pb.JobLease): EchoMQError {
  return errorOf('the worker closes and has given the job back', {
    code: 'ABORTED',
    reason: 'WORKER_CLOSED',
    metadata: { queue: lease.queue, jobId: lease.jobId },
  });
}
