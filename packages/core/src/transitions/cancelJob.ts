import { cancelJob as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted, rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** How long a request stands that nobody has heard, ms. */
const REQUEST_TTL_MS = 86_400_000;

/** A job that somebody wants no more. */
export interface Cancellation {
  readonly jobId: string;
  /** Fail it at once although a worker runs it; that worker then finds its lease lost. */
  readonly force?: boolean;
  /** How long the renewals of its holder are told, ms; 24 h by default. The holder's next word ends it later too. */
  readonly ttlMs?: number;
  /** Minutes of metrics to keep; none by default. */
  readonly maxMetricsSize?: number;
}

/** What became of it. */
export interface CancelOutcome {
  /** `failed`: the job has ended. `asked`: it runs, and its holder's next word ends it. */
  readonly kind: 'failed' | 'asked';
  /** The location that held the job: `active`, `wait`, `delayed` … */
  readonly location: string;
  /** The token that locks or locked it; absent for one that nobody held. */
  readonly token?: string;
}

/**
 * Cancels a job: it ends failed with the reason `cancelled` and is not tried again, at once if nobody runs it.
 *
 * @throws TransitionRejected JOB_NOT_FOUND, JOB_NOT_IN_STATE for one that has finished.
 */
export async function cancelJob(
  store: Store,
  queue: QueueKeys,
  cancellation: Cancellation,
  now: number | '' = '',
): Promise<CancelOutcome> {
  const { jobId, force = false, ttlMs = REQUEST_TTL_MS, maxMetricsSize = 0 } = cancellation;
  const { active, completed, failed } = queue;
  const keys = { job: queue.job(jobId), active, completed, failed, cancel: queue.cancel(jobId) };
  const args = { prefix: queue.base, now, jobId, force, ttl: ttlMs, maxMetricsSize };
  const reply = accepted(script, await store.run(script, keys, args), { queue, jobId });
  const [kind, location, token] = rows(script, reply).map(String);
  return {
    kind: kind === 'failed' ? 'failed' : 'asked',
    location: location ?? '',
    ...(token ? { token } : {}),
  };
}
