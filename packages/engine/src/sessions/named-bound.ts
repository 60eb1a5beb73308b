import type { InvalidRequest } from '@echomq/core';
import type { WorkHeartbeat } from '@echomq/proto/messages';
import { violation } from './session-messages.js';

/** Leases that a heartbeat may name beyond those that the worker was given. */
const MOST_STRANGERS = 10_000;

/**
 * Refuses a heartbeat that names far more than was given. Each stranger is answered by itself, which one message of
 * 4 MiB must not make hundreds of thousands of answers.
 *
 * @param given How many leases the worker holds.
 */
export function namesTooMany(
  holdings: WorkHeartbeat['holdings'],
  given: number,
): InvalidRequest | undefined {
  const named = holdings && 'jobs' in holdings.value ? holdings.value.jobs.length : 0;
  if (named <= given + MOST_STRANGERS) return undefined;
  return violation('heartbeat', `names over ${MOST_STRANGERS} leases more than were given`);
}
