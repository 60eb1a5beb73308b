import {
  type FetchingWorker,
  type FetchOutcome,
  moveToActive as fetchJob,
  type QueueKeys,
} from '@echomq/core';
import type { WorkerOptions } from 'bullmq';
import { type BullSite, type EchoSite, NOW, type OracleCase } from '../oracle/oracle-case.js';
import { TOKEN } from './jobs.js';

/** The worker of EchoMQ that has the options of BullMQ's. */
export function workerOf(options: Partial<WorkerOptions>, token = TOKEN): FetchingWorker {
  return {
    token,
    lockDuration: options.lockDuration ?? 30_000,
    ...(options.name ? { name: options.name } : {}),
    ...(options.limiter ? { limiter: options.limiter } : {}),
    ...(options.metrics?.maxDataPoints ? { maxMetricsSize: options.metrics.maxDataPoints } : {}),
  };
}

/** The id of what a fetch found. */
export function fetchedId(found: FetchOutcome): string | null {
  return found.kind === 'job' ? found.job.id : null;
}

/** Fetches of EchoMQ in turn, each with a token of its own. Returns the ids. */
export async function fetchesOfEchoMQ(
  { store, queue }: EchoSite,
  times: number,
  options: Partial<WorkerOptions> = {},
): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  for (let i = 0; i < times; i++) {
    ids.push(fetchedId(await fetchJob(store, queue, workerOf(options, `t${i}`), NOW)));
  }
  return ids;
}

/** The same for BullMQ. */
export async function fetchesOfBullMQ(
  site: BullSite,
  times: number,
  options: Partial<WorkerOptions> = {},
): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  for (let i = 0; i < times; i++) {
    // A worker that was limited once does not ask again before its time.
    const job = await site.worker(options).getNextJob(`t${i}`, { block: false });
    ids.push(job?.id ?? null);
  }
  return ids;
}

/** A case of fetches alone. */
export function fetchCase(
  name: string,
  seed: NonNullable<OracleCase['seed']>,
  { times = 1, worker = {} }: { times?: number; worker?: Partial<WorkerOptions> } = {},
): OracleCase {
  return {
    name,
    seed,
    echomq: (site) => fetchesOfEchoMQ(site, times, worker),
    bullmq: (site) => fetchesOfBullMQ(site, times, worker),
  };
}

/** Narrowing for cases that need the keys alone. */
export type Keys = QueueKeys;
