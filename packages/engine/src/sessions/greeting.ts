import {
  msToDuration,
  SubscriptionState,
  type SubscriptionStatus,
  type WorkOpen,
  type WorkOpened,
} from '@echomq/proto/messages';
import type { WorkerDeps } from '../services/worker/worker-deps.js';
import type { Adoption } from './adoption.js';
import type { Subscriber } from './subscriber.js';
import type { SessionSpans } from './terms.js';

/** The answer to an open. */
export function greeting(
  open: WorkOpen,
  spans: SessionSpans,
  { adopted, rejected }: Adoption,
  deps: WorkerDeps,
): WorkOpened {
  return {
    sessionId: open.worker?.sessionId ?? '',
    resumeTtl: msToDuration(spans.resumeMs),
    heartbeatInterval: msToDuration(spans.heartbeatMs),
    livenessTimeout: msToDuration(spans.livenessMs),
    acceptTimeout: msToDuration(spans.acceptMs),
    keepaliveInterval: msToDuration(spans.keepaliveMs),
    serverInfo: deps.serverInfo(),
    adopted,
    rejected,
  };
}

/** How the queues of a stream stand, for a keepalive. */
export function statusOfQueue({ dispatch }: Subscriber): SubscriptionStatus {
  const limitedMs = dispatch.limitedForMs;
  const limited = limitedMs > 0;
  return {
    queue: dispatch.queue.name,
    state: limited ? SubscriptionState.RATE_LIMITED : SubscriptionState.IDLE,
    retryAfter: limited ? msToDuration(Math.ceil(limitedMs)) : undefined,
    backlog: 0,
  };
}
