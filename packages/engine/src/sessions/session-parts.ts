import type { SubscriptionStatus, WorkReport } from '@echomq/proto/messages';
import type { Holding } from './effects.js';
import type { LastHeartbeat } from './heartbeats.js';
import type { ReportMemory } from './report-memory.js';
import type { SessionSpans } from './terms.js';
import type { Windows } from './windows.js';

/** What a session is made of. */
export interface SessionParts {
  readonly spans: SessionSpans;
  readonly windows: Windows;
  readonly memory: ReportMemory;
  /** The key of a queue that a message names; throws InvalidRequest for a bad name. */
  readonly queueKey: (name: string) => string;
  /** A lease that only a report names: see `ReportDesk`. */
  readonly stranger?: (lease: WorkReport['lease']) => Holding | undefined;
  /** Whether jobs of a queue may wait at the worker for a slot. Absent: never. */
  readonly mayWait?: (queueKey: string) => boolean;
  /** How the queues stand, for a keepalive. */
  readonly statuses: () => SubscriptionStatus[];
}

/** How a worker stands that is there. */
export interface Standing extends LastHeartbeat {
  readonly heardMsAgo: number;
}
