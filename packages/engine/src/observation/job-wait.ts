import type { StoredJob } from '@echomq/core';
import { STORED } from '../messages/stored-options.js';

/**
 * How long a job that was just taken had been ready, ms, by the store's clock. `undefined` where nothing tells since when
 * it was ready: it had been started before, or was promoted ahead of its time.
 */
export function waitMsOf(job: StoredJob): number | undefined {
  if (job.attemptsStarted > 1 || job.attemptsMade > 0 || job.stalledCount > 0) return undefined;
  if (job.processedOn === undefined) return undefined;
  const ready = readyAt(job);
  const wait = job.processedOn - ready;
  return wait < 0 && ready > job.timestamp ? undefined : Math.max(0, wait);
}

/**
 * When a job was to be ready by what its producer asked for, ms since the epoch. The delay in its hash tells it of those
 * alone that still wait for their time: it is 0 from then on.
 */
export function readyAt({
  timestamp,
  delay,
  opts,
}: Pick<StoredJob, 'timestamp' | 'delay' | 'opts'>): number {
  if (delay > 0) return timestamp + delay;
  if (!opts.includes(`"${STORED.delay}"`) && !opts.includes(`"${STORED.runAt}"`)) return timestamp;
  try {
    const asked = JSON.parse(opts.toString('utf8')) as Readonly<Record<string, unknown>>;
    const at = positive(asked[STORED.runAt]) ?? timestamp + (positive(asked[STORED.delay]) ?? 0);
    return Math.max(timestamp, at);
  } catch {
    return timestamp;
  }
}

const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;
