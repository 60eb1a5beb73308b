import { type MoveToFinishedArgs, moveToFinished as script } from '@echomq/lua';
import type { QueueKeys } from '../keys.js';
import { accepted, type FinishOutcome, finishOutcome, rows } from '../outcomes.js';
import type { Store } from '../store.js';

/** The script's own options: token, next token, retention, retry, stack, progress, logs, receipt. */
export type FinishOptions = MoveToFinishedArgs['options'];

/** How a run ended. */
export interface Finish {
  readonly jobId: string;
  readonly target: 'completed' | 'failed';
  /** JSON text of the result, or the plain text of the failure. */
  readonly value: string | Uint8Array;
  /** Take the next job in the same step, locked with `options.nextToken`. */
  readonly fetchNext: boolean;
  readonly options: FinishOptions;
}

/**
 * Ends a run and fetches the next job, in one step. A failure goes by `options.retry`: the script decides from the
 * job's own attempts and backoff whether and when it runs again.
 *
 * @param now ms since the epoch; '' (production) asks Redis.
 * @throws TransitionRejected JOB_NOT_FOUND, JOB_HAS_PENDING_CHILDREN, JOB_HAS_FAILED_CHILDREN, LOCK_LOST,
 * LOCK_NOT_OWNED, JOB_NOT_IN_STATE, REQUEST_ID_REUSED; nothing is written and nothing fetched then.
 */
export async function moveToFinished(
  store: Store,
  queue: QueueKeys,
  finish: Finish,
  now: number | '' = '',
): Promise<FinishOutcome> {
  const { jobId, target } = finish;
  const reply = await store.run(
    script,
    {
      ...keysOf(queue),
      finished: target === 'completed' ? queue.completed : queue.failed,
      job: queue.job(jobId),
      metrics: queue.metrics(target),
    },
    {
      jobId,
      timestamp: now,
      valueField: target === 'completed' ? 'returnvalue' : 'failedReason',
      value: finish.value,
      target,
      fetchNextJob: finish.fetchNext,
      prefix: queue.base,
      // The long form of the reply, which names the branch, is the one with `retry`.
      options: { retry: NEVER, packed: true, ...usualOf(finish.options) },
      fields: [],
    },
  );
  const answer = accepted(script, reply, { queue, jobId });
  return finishOutcome(script, rows(script, answer));
}

const NEVER = { mode: 'NEVER' } as const;

/** What is none is not sent: each option costs the script its name. */
function usualOf(options: FinishOptions): FinishOptions {
  if (options.maxMetricsSize !== 0) return options;
  const { maxMetricsSize: _, ...others } = options;
  return others;
}

function keysOf(queue: QueueKeys) {
  const { wait, active, prioritized, events, stalled, limiter, delayed, paused, meta, pc, marker } =
    queue;
  return {
    wait,
    active,
    prioritized,
    events,
    stalled,
    limiter,
    delayed,
    paused,
    meta,
    pc,
    marker,
  };
}
