import { InvalidRequest } from '@echomq/core';
import type { JobLease } from '@echomq/proto/messages';
import type { NamedQueue, QueueNames } from '../queue-names.js';
import { jobId } from './job-id.js';

/** A lease as the transitions want it. */
export interface Lease {
  readonly queue: NamedQueue;
  readonly jobId: string;
  readonly token: string;
}

const MAX_TOKEN_BYTES = 96;

/**
 * The lease that a worker's write carries, checked for shape; whether it holds is for the script to say.
 *
 * @throws InvalidRequest naming the field: no lease, no queue or id, a token that is empty, `0` (with which BullMQ goes
 * past the lock) or longer than 96 bytes.
 */
export function leaseOf(names: QueueNames, lease: JobLease | undefined, field = 'lease'): Lease {
  if (!lease) throw new InvalidRequest(field, 'is missing');
  const queue = names.resolve(lease.queue, `${field}.queue`);
  const id = jobId(lease.jobId, `${field}.job_id`);
  const token = lease.leaseToken;
  const tokenField = `${field}.lease_token`;
  if (typeof token !== 'string' || token === '' || token === '0') {
    throw new InvalidRequest(tokenField, 'must be the token of a delivery');
  }
  if (Buffer.byteLength(token) > MAX_TOKEN_BYTES) {
    throw new InvalidRequest(tokenField, `must have at most ${MAX_TOKEN_BYTES} bytes`);
  }
  return { queue, jobId: id, token };
}
