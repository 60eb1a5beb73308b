import type { FetchingWorker, FetchReceipt, RateLimit, ReplayGuard } from '@echomq/core';
import type { DeliveredJob } from '@echomq/proto/messages';
import { newLeaseToken } from './lease-tokens.js';

/** On what terms a consumer's jobs are fetched. */
export interface FetchTerms {
  /** Life of the locks, ms. */
  readonly lockMs: number;
  /** Stored with the job as the worker that processes it. */
  readonly name?: string;
  readonly limiter?: RateLimit;
}

/** A fetch on these terms, with a token of its own. */
export function fetchingWorker(
  terms: FetchTerms,
  maxMetricsSize: number,
  receipt?: FetchReceipt,
  buffered = false,
): FetchingWorker {
  const worker: { -readonly [K in keyof FetchingWorker]: FetchingWorker[K] } = {
    token: newLeaseToken(),
    lockDuration: terms.lockMs,
    maxMetricsSize,
  };
  if (terms.name !== undefined) worker.name = terms.name;
  if (terms.limiter !== undefined) worker.limiter = terms.limiter;
  if (buffered) worker.buffered = buffered;
  if (receipt !== undefined) worker.receipt = receipt;
  return worker;
}

/** A job on its way to a consumer. */
export interface Delivery {
  readonly job: DeliveredJob;
  readonly jobId: string;
  readonly token: string;
  /** What it weighs on the wire. */
  readonly bytes: number;
  /** Life of its lock, ms. */
  readonly lockMs: number;
  /** It does not count as begun before a renewal says so: it waits at its worker for a slot. */
  readonly buffered?: boolean;
  /** The answer that it comes with can be asked for again; it goes back only if it was not. */
  readonly guard?: ReplayGuard;
  /** When the run began, by the store's clock: names it where its lock has lapsed. */
  readonly unbegunRun: string;
  /** When it was asked for, ms: its lock is not older. */
  readonly takenAt: number;
}

/** Something that takes jobs of one queue: a subscription of a stream, or a waiting poll. */
export interface Consumer {
  readonly terms: FetchTerms;
  /** It holds a part of what it asked for and takes the rest only if that is ready now. */
  readonly filling: boolean;
  /** How many fetches may begin for it now; those under way are counted already. */
  want(): number;
  /** A fetch for it begins. */
  begin(): void;
  /** Whether the fetch that has just begun is for a job beyond the slots; asked once for each, in their order. */
  buffered?(): boolean;
  /** The queue's next job is taken for a free slot only. */
  unbuffered?(): void;
  /** What notes the job of the fetch that has just begun, for a request that may come again. */
  receipt?(): FetchReceipt;
  /** Another call of its request has taken jobs: it gets those, and no others. */
  replayed?(): void;
  /** The fetch brought a job. False: the consumer is gone or the job does not fit; it goes back to the front. */
  take(delivery: Delivery): boolean;
  /** The fetch brought none. */
  miss(): void;
  /** The fetch failed. */
  fail(error: unknown): void;
  /** The queue has nothing more for now (true), or may have (false). */
  settle(idle: boolean): void;
}
