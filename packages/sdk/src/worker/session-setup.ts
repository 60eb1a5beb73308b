import { hostname } from 'node:os';
import type * as pb from '@echomq/proto/messages';
import type { Connection } from '../connection.js';
import { invalid } from '../errors.js';
import { durationOf, uint32Of } from '../payload/numbers.js';
import { checkQueueName } from '../queue/queue-name.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { SDK_VERSION } from '../version.js';
import type { BackoffStrategy, Handler, WorkerEvents, WorkerOptions } from './worker-options.js';

/** What a session works with, checked. */
export interface SessionSetup<Data, Result> {
  readonly connection: Connection;
  readonly queues: readonly string[];
  readonly handler: Handler<Data, Result>;
  readonly backoffStrategy?: BackoffStrategy<Data, Result> | undefined;
  readonly telemetry?: Telemetry | undefined;
  /** Life of the locks; absent: as the gateway is set. */
  readonly lockMs: number | undefined;
  readonly rateLimit: pb.RateLimit | undefined;
  readonly info: Omit<pb.WorkerInfo, 'sessionId'>;
  /** Tells the worker's listeners; never throws. */
  tell<Name extends keyof WorkerEvents<Data, Result> & string>(
    name: Name,
    ...args: WorkerEvents<Data, Result>[Name]
  ): void;
}

const MIN_LOCK_MS = 1_000;
const MAX_LOCK_MS = 3_600_000;

/** The queues of a worker, checked. @throws InvalidRequest */
export function checkQueues(queues: string | readonly string[]): readonly string[] {
  const names = typeof queues === 'string' ? [queues] : [...queues];
  if (names.length === 0) throw invalid('queues', 'must name at least one queue');
  names.forEach((name, index) => {
    checkQueueName(name, typeof queues === 'string' ? 'queue' : `queues[${index}]`);
  });
  if (new Set(names).size < names.length) throw invalid('queues', 'names a queue twice');
  return names;
}

/** Something that can be called for each job. @throws InvalidRequest */
export function checkHandler<Data, Result>(handler: Handler<Data, Result>): Handler<Data, Result> {
  // Without one every job of the queue would fail.
  if (typeof handler !== 'function') throw invalid('handler', 'must be a function');
  return handler;
}

/** How many handlers may run at once. @throws InvalidRequest */
export function checkConcurrency(value: number | undefined): number {
  const concurrency = uint32Of(value, 'concurrency') ?? 1;
  if (concurrency < 1) throw invalid('concurrency', 'must be at least 1');
  return concurrency;
}

/** The life of a lock, in ms; undefined stays so. @throws InvalidRequest */
export function checkLock(lockMs: number | undefined): number | undefined {
  if (lockMs === undefined) return undefined;
  if (!(lockMs >= MIN_LOCK_MS && lockMs <= MAX_LOCK_MS)) {
    throw invalid('lockDuration', `must be from ${MIN_LOCK_MS} to ${MAX_LOCK_MS} ms`);
  }
  return lockMs;
}

/** The limit as the contract writes it. @throws InvalidRequest */
export function checkLimiter(limiter: WorkerOptions['limiter']): pb.RateLimit | undefined {
  if (limiter === undefined) return undefined;
  const max = uint32Of(limiter.max, 'limiter.max') ?? 0;
  if (max < 1) throw invalid('limiter.max', 'must be at least 1');
  return { max, duration: durationOf(limiter.duration, 'limiter.duration') };
}

/** The worker as it introduces itself. */
export function workerInfo({
  name,
  labels,
}: Pick<WorkerOptions, 'name' | 'labels'>): Omit<pb.WorkerInfo, 'sessionId'> {
  return {
    workerId: name ?? hostname(),
    name: name ?? hostname(),
    sdk: { language: 'typescript', version: SDK_VERSION },
    host: hostname(),
    pid: process.pid,
    labels: { ...labels },
  };
}
