import { type RedisClient, Store } from '@echomq/core';
import { connectRedis } from '@echomq/core/ioredis';
import type {
  DeliveredJob,
  Duration,
  FetchJobsRequest,
  FinishJobRequest,
  JobOutcome,
} from '@echomq/proto/messages';
import {
  type FreshQueue,
  type PrivateRedisOptions,
  plantScriptFault,
  type ScriptFault,
  type UsedRedis,
  useRedis,
  useStarted,
} from '@echomq/testkit';
import { afterAll } from 'vitest';
import { Engine, type EngineOptions } from '../src/engine.js';

/** A run of tests that is to go red: see receipts/faults.soak.test.ts. */
const { ECHOMQ_TEST_FAULT: fault } = process.env;
if (fault) plantScriptFault(Store, fault as ScriptFault);

/** A private server and an engine over it, for a test file. */
export interface UsedEngine {
  readonly redis: UsedRedis;
  readonly engine: Engine;
  queue(): FreshQueue;
  /** Another engine over the same server, closed after the file's last test. */
  another(options?: Partial<EngineOptions>): Promise<Engine>;
}

/** Starts both before the file's first test and ends them after its last. */
export function useEngine(
  options: Partial<EngineOptions> = {},
  server: PrivateRedisOptions = {},
): UsedEngine {
  const redis = useRedis(server);
  const made: { engine: Engine; client: RedisClient }[] = [];
  const start = async (more: Partial<EngineOptions>) => {
    const client = connectRedis({ url: redis.url });
    await client.whenReady(AbortSignal.timeout(10_000));
    const engine = new Engine({ redis: client, serverVersion: '0.0.0-test', ...more });
    engine.start();
    made.push({ engine, client });
    return engine;
  };
  const first = useStarted(async () => {
    const engine = await start(options);
    return { engine, [Symbol.asyncDispose]: async () => undefined };
  });
  afterAll(async () => {
    for (const { engine, client } of made) {
      await engine.close();
      await client.close();
    }
  });
  return {
    redis,
    get engine() {
      return first.value.engine;
    },
    queue: () => redis.freshQueue(),
    another: (more = {}) => start({ ...options, ...more }),
  };
}

/** A fetch with its defaults. */
export function fetchOf(queue: FreshQueue, more: Partial<FetchJobsRequest> = {}): FetchJobsRequest {
  return {
    queue: queue.name,
    worker: undefined,
    maxJobs: 1,
    wait: { seconds: 0, nanos: 0 },
    lockDuration: undefined,
    maxResponseBytes: 0,
    requestId: '',
    rateLimit: undefined,
    held: [],
    ...more,
  };
}

type Kind = NonNullable<JobOutcome['kind']>;

/** A finish with its defaults. */
export function finishOf(
  job: DeliveredJob | undefined,
  kind: Kind,
  more: Partial<FinishJobRequest> = {},
): FinishJobRequest {
  return {
    lease: job?.lease,
    outcome: { kind },
    progress: Buffer.alloc(0),
    logs: [],
    fetchNext: undefined,
    requestId: '',
    worker: undefined,
    ...more,
  };
}

/** Success with a result, JSON text. */
export const complete = (json = ''): Kind => ({
  $case: 'complete',
  value: { returnValue: Buffer.from(json) },
});

/** A failed attempt. */
export const fail = (
  message: string,
  more: Partial<Extract<Kind, { $case: 'fail' }>['value']> = {},
): Kind => ({
  $case: 'fail',
  value: {
    errorName: '',
    message,
    stack: [],
    retry: 0,
    retryDelay: undefined,
    details: Buffer.alloc(0),
    ...more,
  },
});

/** Waiting jobs by id, the first of them next to run. */
export function waiting(...ids: string[]) {
  return {
    jobs: Object.fromEntries(ids.map((id) => [id, { data: { id } }])),
    wait: [...ids].reverse(),
  };
}

/** A span. */
export function seconds(value: number): Duration {
  const whole = Math.trunc(value);
  return { seconds: whole, nanos: Math.round((value - whole) * 1e9) };
}
