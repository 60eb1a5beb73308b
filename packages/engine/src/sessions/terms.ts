import { InvalidRequest, type RateLimit } from '@echomq/core';
import type { RateLimit as RateLimitMessage, Subscription, WorkOpen } from '@echomq/proto/messages';
import type { FetchTerms } from '../dispatch/consumer.js';
import type { Limits } from '../limits.js';
import type { NamedQueue, QueueNames } from '../queue-names.js';
import { durationMs } from '../validation/duration.js';
import { uint } from '../validation/uint.js';
import type { WindowSize } from './windows.js';

/** One queue that a session serves. */
export interface SubscriptionTerms {
  readonly queue: NamedQueue;
  readonly size: WindowSize;
  readonly weight: number;
  readonly fetch: FetchTerms;
}

/** The spans of a session, ms, all derived from its shortest lock. */
export interface SessionSpans {
  readonly lockMs: number;
  /** How long accepted leases are renewed after the stream broke. */
  readonly resumeMs: number;
  readonly heartbeatMs: number;
  /** After so long a silence nothing is renewed any more. */
  readonly livenessMs: number;
  /** A delivery that nobody accepts within this goes back. */
  readonly acceptMs: number;
  readonly keepaliveMs: number;
  /** How long one delivery is renewed at most. */
  readonly maxLifetimeMs: number;
}

/** The server sends something within this, ms. */
const KEEPALIVE_MS = 15_000;
const MAX_SUBSCRIPTIONS = 1_000;

/** Checks the subscriptions of an open. */
export function subscriptionTerms(
  open: WorkOpen,
  names: QueueNames,
  limits: Limits,
): SubscriptionTerms[] {
  const { subscriptions, worker } = open;
  if (subscriptions.length === 0) {
    throw new InvalidRequest('open.subscriptions', 'must name at least one queue');
  }
  if (subscriptions.length > MAX_SUBSCRIPTIONS) {
    throw new InvalidRequest('open.subscriptions', `must have at most ${MAX_SUBSCRIPTIONS}`);
  }
  const seen = new Set<string>();
  return subscriptions.map((subscription, index) => {
    const field = `open.subscriptions[${index}]`;
    const queue = names.resolve(subscription.queue, `${field}.queue`);
    if (seen.has(queue.keys.base)) {
      throw new InvalidRequest(`${field}.queue`, 'is subscribed twice');
    }
    seen.add(queue.keys.base);
    return {
      queue,
      size: windowSize(subscription, field),
      weight: uint(subscription.weight, `${field}.weight`, { max: 1_000_000, fallback: 1 }),
      fetch: fetchTerms(subscription, { field, limits, name: worker?.name ?? '' }),
    };
  });
}

/** Checks a window. */
export function windowSize(
  window: Pick<Subscription, 'maxInFlight' | 'maxInFlightBytes'>,
  field: string,
): WindowSize {
  const maxJobs = uint(window.maxInFlight, `${field}.max_in_flight`, { fallback: 0 });
  const maxBytes = uint(window.maxInFlightBytes, `${field}.max_in_flight_bytes`);
  return maxBytes === undefined ? { maxJobs } : { maxJobs, maxBytes };
}

/** On what terms jobs are fetched: lock, worker's name, the worker's own rate limit. */
export function fetchTerms(
  asked: {
    readonly lockDuration: Subscription['lockDuration'];
    readonly rateLimit: RateLimitMessage | undefined;
  },
  given: { readonly field: string; readonly limits: Limits; readonly name: string },
): FetchTerms {
  const { field, limits, name } = given;
  const at = (part: string) => (field === '' ? part : `${field}.${part}`);
  const lockMs = durationMs(asked.lockDuration, at('lock_duration'), {
    min: limits.minLockMs,
    max: limits.maxLockMs,
    fallback: limits.defaultLockMs,
  });
  const limiter = rateLimit(asked.rateLimit, at('rate_limit'));
  return { lockMs, ...(name === '' ? {} : { name }), ...(limiter ? { limiter } : {}) };
}

function rateLimit(limit: RateLimitMessage | undefined, field: string): RateLimit | undefined {
  if (!limit) return undefined;
  const max = uint(limit.max, `${field}.max`, { min: 1 });
  const duration = durationMs(limit.duration, `${field}.duration`, { min: 1, max: 86_400_000 });
  if (max === undefined || duration === undefined) {
    throw new InvalidRequest(field, 'needs max and duration');
  }
  return { max, duration };
}

/** The spans that follow from the shortest lock. */
export function sessionSpans(
  subscriptions: readonly SubscriptionTerms[],
  limits: Limits,
): SessionSpans {
  const lockMs = Math.min(...subscriptions.map(({ fetch }) => fetch.lockMs));
  return {
    lockMs,
    resumeMs: Math.min(10_000, lockMs / 2),
    heartbeatMs: lockMs / 3,
    livenessMs: (lockMs * 2) / 3,
    acceptMs: Math.min(5_000, lockMs / 3),
    keepaliveMs: KEEPALIVE_MS,
    maxLifetimeMs: limits.maxLockLifetimeMs,
  };
}
