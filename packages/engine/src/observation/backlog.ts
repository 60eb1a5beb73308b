import { getCounts, type JobCounts } from '@echomq/core';
import type { EngineDeps } from '../ports.js';
import type { NamedQueue } from '../queue-names.js';
import { readyAt } from './job-wait.js';

/** How a queue stands at one moment. */
export interface Backlog {
  readonly counts: JobCounts;
  /** How long ago the job that runs next was ready, ms by the store's clock; 0 where none waits. */
  readonly oldestWaitingMs: number;
}

/** Fields of a job that tell since when it may run. */
const READY = ['timestamp', 'delay', 'processedOn', 'opts'];

/**
 * Reads how a queue stands, at the cost of a handful of commands whatever its size.
 *
 * The age is that of the next job in line: of those in `wait` and of the one with the best priority the older. A job of
 * a low priority that never gets its turn may be older still; to find it the whole set would have to be read.
 *
 * @throws StoreUnavailable
 */
export async function readBacklog(
  { store }: Pick<EngineDeps, 'store'>,
  { keys }: NamedQueue,
): Promise<Backlog> {
  const [counts, waits, prioritized, time] = await Promise.all([
    getCounts(store, keys),
    store.command('LINDEX', [keys.wait, -1]),
    store.command('ZRANGE', [keys.prioritized, 0, 0]),
    store.command('TIME', []),
  ]);
  const [seconds, micros] = Array.isArray(time) ? time.map(Number) : [];
  const now = (seconds ?? 0) * 1_000 + (micros ?? 0) / 1_000;
  const first = Array.isArray(prioritized) ? prioritized[0] : undefined;
  const ids = [waits, first].filter((id) => id !== null && id !== undefined).map(String);
  const ages = await Promise.all(
    ids.map(async (id) => {
      const reply = await store.command('HMGET', [keys.job(id), ...READY]);
      const fields = Array.isArray(reply) ? reply : [];
      const [timestamp = 0, delay = 0, ran = 0] = fields.slice(0, 3).map(Number);
      const opts = Buffer.from(String(fields[3] ?? ''));
      // One that was promoted ahead of its time is ready, and nobody knows since when.
      const due = Math.min(now, readyAt({ timestamp, delay, opts }));
      // One that has run before was ready no sooner than that; nothing tells when that run ended.
      const ready = Math.max(due, ran);
      return ready > 0 ? now - ready : 0;
    }),
  );
  return { counts, oldestWaitingMs: Math.max(0, ...ages) };
}
