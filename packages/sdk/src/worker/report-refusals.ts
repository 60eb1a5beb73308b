import {
  type EchoMQError,
  InvalidRequest,
  JobNotFound,
  JobNotInState,
  LeaseLost,
  NotSupported,
} from '../errors.js';
import { awaitingChildren, failed, type RunEnd, released } from './outcomes.js';

/** What follows a report that the server has refused for good. */
export type AfterRefusal =
  | { readonly next: 'report'; readonly end: RunEnd }
  /** The job is no longer ours: discard the result. */
  | { readonly next: 'lost' }
  /** The lock is left to run out. */
  | { readonly next: 'giveUp' };

/** Refused reports of one run, at most; more would mean that the two sides do not understand each other. */
const MAX_REFUSALS = 3;

/**
 * Decides. A lost lease is never followed by a failure: that would fail somebody else's run.
 *
 * @param end how the run had ended
 * @param refusals how often a report of this run was refused, this time included
 */
export function afterRefusal(error: EchoMQError, end: RunEnd, refusals: number): AfterRefusal {
  if (error instanceof LeaseLost || error instanceof JobNotFound) return { next: 'lost' };
  if (refusals > MAX_REFUSALS) return { next: 'giveUp' };
  const { kind } = end.outcome;
  // The last child has finished meanwhile: the job can run again at once.
  if (kind?.$case === 'awaitChildren') return report(released({ toFront: true }));
  if (error instanceof JobNotInState) return { next: 'lost' };
  if (error.reason === 'JOB_HAS_PENDING_CHILDREN') return report(awaitingChildren());
  if (error.reason === 'JOB_HAS_FAILED_CHILDREN') return report(failed(error, { final: false }));
  if (error instanceof NotSupported) return report(failed(error, { final: false }));
  // The run has had its effects: where only its result cannot be kept, another run would not help.
  if (error instanceof InvalidRequest && kind?.$case !== 'fail') {
    return report(failed(error, { final: kind?.$case === 'complete' }));
  }
  return { next: 'giveUp' };
}

function report(end: RunEnd): AfterRefusal {
  return { next: 'report', end };
}
