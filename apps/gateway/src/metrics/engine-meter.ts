import type { EngineObserver, JobEnd } from '@echomq/engine';
import type { Instruments } from './instruments.js';
import { type LabelBudget, OTHER } from './label-budget.js';
import { RunClock } from './run-clock.js';

/** What the engine of one namespace does, in numbers. */
export class EngineMeter implements EngineObserver {
  readonly #runs = new RunClock();
  /** The labels of a queue, made once. */
  readonly #labels = new Map<string, { readonly namespace: string; readonly queue: string }>();
  readonly #others: { readonly namespace: string; readonly queue: string };

  /** @param queues over all namespaces: keys are {@link queueKey} */
  constructor(
    private readonly metrics: Instruments,
    private readonly namespace: string,
    private readonly queues: LabelBudget,
  ) {
    this.#others = { namespace, queue: OTHER };
  }

  answered(operation: string, ms: number, reason?: string): void {
    this.metrics.echomq_redis_call_seconds.observe({ operation }, ms / 1_000);
    if (reason !== undefined) this.refused(operation, reason);
  }

  refused(operation: string, reason: string): void {
    this.metrics.echomq_script_errors_total.inc({ operation, reason });
  }

  jobsAdded(queue: string, count: number): void {
    this.metrics.echomq_jobs_added_total.inc(this.#of(queue), count);
  }

  jobStarted(queue: string, token: string, waitMs?: number): void {
    const labels = this.#of(queue);
    this.#runs.begin(token);
    this.metrics.echomq_jobs_started_total.inc(labels);
    if (waitMs !== undefined) this.metrics.echomq_job_wait_seconds.observe(labels, waitMs / 1_000);
  }

  jobEnded(queue: string, token: string, end: JobEnd, replayed: boolean): void {
    const ms = this.#runs.end(token);
    // Told again: it counts only where the first answer was lost on its way here. One that went back counts if its start did.
    if ((replayed || end === 'unbegun') && ms === undefined) return;
    const labels = this.#of(queue);
    if (ms !== undefined && end !== 'unbegun')
      this.metrics.echomq_job_run_seconds.observe(labels, ms / 1_000);
    if (end === 'completed') this.metrics.echomq_jobs_completed_total.inc(labels);
    else if (end === 'failed') this.metrics.echomq_jobs_failed_total.inc(labels);
    else if (end === 'retried') this.metrics.echomq_jobs_retried_total.inc(labels);
    else this.metrics.echomq_jobs_returned_total.inc({ ...labels, how: end });
  }

  jobsStalled(queue: string, recovered: number, failed: number): void {
    const labels = this.#of(queue);
    this.metrics.echomq_jobs_stalled_total.inc(labels, recovered + failed);
    this.metrics.echomq_jobs_recovered_total.inc(labels, recovered);
    if (failed > 0) this.metrics.echomq_jobs_failed_total.inc(labels, failed);
  }

  jobsReturned(queue: string, unbegun: number): void {
    const labels = { ...this.#of(queue), how: 'unbegun' };
    this.metrics.echomq_jobs_returned_total.inc(labels, unbegun);
  }

  locksRenewed(queue: string, renewed: number, lost: number): void {
    const labels = this.#of(queue);
    if (renewed > 0) this.metrics.echomq_locks_renewed_total.inc(labels, renewed);
    if (lost > 0) this.metrics.echomq_locks_lost_total.inc(labels, lost);
  }

  #of(queue: string): { readonly namespace: string; readonly queue: string } {
    const known = this.#labels.get(queue);
    if (known) return known;
    const key = queueKey(this.namespace, queue);
    if (this.queues.of(key) === OTHER) return this.#others;
    const labels = { namespace: this.namespace, queue };
    this.#labels.set(queue, labels);
    return labels;
  }
}

/** A queue of a namespace as one text. No namespace holds a slash. */
export const queueKey = (namespace: string, queue: string): string => `${namespace}/${queue}`;

/** What {@link queueKey} was made of. */
export function queueOfKey(key: string): { readonly namespace: string; readonly queue: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), queue: key.slice(slash + 1) };
}
