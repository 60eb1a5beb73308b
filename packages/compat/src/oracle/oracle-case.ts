import type { QueueKeys, Store } from '@echomq/core';
import type { QueueState } from '@echomq/testkit';
import type { FlowProducer, Job, Queue, Worker, WorkerOptions } from 'bullmq';
import type { Peer } from './peers.js';

/** The instant at which every case happens, ms since the epoch. Both sides get it: BullMQ by a frozen `Date`. */
export const NOW = 1_700_000_000_000;

/** The two queues of a case, as they stand in keys: `bull:NAME`, without the last colon. */
export interface QueueNames {
  readonly main: string;
  /** Another queue, for parents and children across queues. */
  readonly other: string;
}

/** What stands in Redis before the call. */
export interface SeedStates {
  readonly main?: QueueState;
  readonly other?: QueueState;
}

/** EchoMQ at a case's queues. */
export interface EchoSite {
  readonly store: Store;
  readonly queue: QueueKeys;
  readonly other: QueueKeys;
  readonly names: QueueNames;
}

/** BullMQ at a case's queues. What it hands out is closed after the case. */
export interface BullSite {
  readonly peer: Peer;
  readonly queue: Queue;
  readonly other: Queue;
  readonly names: QueueNames;
  /** A worker that fetches only when told to. */
  worker(options?: Partial<WorkerOptions>): Worker;
  flow(): FlowProducer;
  /** A job by its id, as a worker with these options has it. */
  job(id: string, options?: Partial<WorkerOptions>): Promise<Job>;
}

/** The same seed and the same call on both sides. What the calls return is compared too. */
export interface OracleCase {
  readonly name: string;
  /** The releases that can do it; all by default. */
  readonly peers?: readonly Peer[];
  readonly seed?: (names: QueueNames) => SeedStates;
  readonly echomq: (site: EchoSite) => Promise<unknown>;
  readonly bullmq: (site: BullSite) => Promise<unknown>;
}

/** All cases of one transition. */
export interface TransitionCases {
  readonly transition: string;
  readonly cases: readonly OracleCase[];
}
