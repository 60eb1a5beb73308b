import { JobSignalKind, LeaseStatus } from '@echomq/proto/messages';

/** What a lease status says of a lease that is over. */
export const LOST: ReadonlySet<LeaseStatus> = new Set([
  LeaseStatus.LOST,
  LeaseStatus.NOT_OWNED,
  LeaseStatus.NOT_FOUND,
]);

/** Signals after which a job is not held any more. */
export const OVER: ReadonlySet<JobSignalKind> = new Set([
  JobSignalKind.LOCK_LOST,
  JobSignalKind.REMOVED,
  JobSignalKind.LOCK_MAX_LIFETIME,
]);
