import { EchoMQError } from '@echomq/core';
import type { JobLease } from '@echomq/proto/messages';
import type { QueueNames } from '../queue-names.js';
import { leaseOf } from '../validation/lease.js';
import type { Holding } from './effects.js';

/**
 * A lease that a report names and the session does not know, as a holding that takes no room: whether it holds, or how
 * it ended, the store knows. `undefined` for what cannot be a lease.
 */
export function strangerOf(
  names: QueueNames,
  lease: JobLease | undefined,
  lockMs: number,
): Holding | undefined {
  try {
    const { queue, jobId, token } = leaseOf(names, lease);
    const begun = { accepted: true, running: true, reporting: true, outlived: false };
    const { name, keys } = queue;
    const known = { queue: name, queueKey: keys.base, jobId, token, lockMs };
    return { ...known, ...begun, bytes: 0, deliveredAt: 0, waiting: [] };
  } catch (error) {
    if (error instanceof EchoMQError) return undefined;
    throw error;
  }
}
