import { moveStalledJobsToWait as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { rows } from '../outcomes.js';
import type { RedisReply } from '../redis-client.js';
import type { Store } from '../store.js';

/** How a stalled sweep goes about it. */
export interface SweepOptions {
  /** Stalls that a job survives; the next one fails it for good. */
  readonly maxStalledCount: number;
  /** No other sweep of the queue within so many ms. */
  readonly stalledInterval: number;
  /** Jobs moved in one script; the rest waits for the next. 1000 by default. */
  readonly maxMoved?: number;
  /** Sweep although another did within its interval. */
  readonly force?: boolean;
  /** Minutes of metrics to keep for the jobs that fail; none by default. */
  readonly maxMetricsSize?: number;
}

/** What a stalled sweep found. */
export interface SweepOutcome {
  /** Ids given back to `wait`. */
  readonly recovered: readonly string[];
  /** Ids failed for good. */
  readonly failed: readonly string[];
  /** How many of the recovered had not been begun: those have not stalled. */
  readonly unbegun: number;
  /** Whether ownerless jobs are left for the next sweep. */
  readonly more: boolean;
}

/**
 * The stalled sweep: a job that was active at the last sweep and has no lock at this one goes back to `wait`, or fails
 * when it has stalled too often.
 */
export async function moveStalledJobsToWait(
  store: Store,
  queue: QueueKeys,
  options: SweepOptions,
  now: number | '' = '',
): Promise<SweepOutcome> {
  const reply = await store.run(script, queue, {
    maxStalledCount: options.maxStalledCount,
    prefix: queue.base,
    now,
    stalledInterval: options.stalledInterval,
    maxMoved: options.maxMoved ?? 1_000,
    force: options.force ?? false,
    maxMetricsSize: options.maxMetricsSize ?? 0,
  });
  const [recovered, failed, more, unbegun] = rows(script, reply);
  return {
    recovered: ids(recovered),
    failed: ids(failed),
    unbegun: Number(unbegun),
    more: String(more) === '1',
  };
}

function ids(reply: RedisReply | undefined): string[] {
  return rows(script, reply).map(String);
}
