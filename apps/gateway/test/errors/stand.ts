import type { JsonObject } from '@bufbuild/protobuf';
import { type FreshQueue, type UsedRedis, withLimit } from '@echomq/testkit';
import { startGateway } from '../../src/gateway.js';
import type { Gateway } from '../../src/serve.js';
import { keptLog, testConfig } from '../serving.js';
import type { Failure } from './failure.js';
import { type About, type Rpc, requestsAbout } from './requests.js';
import { type Answer, type Ended, Wire } from './wire.js';

/** A job that a worker holds. */
export type Held = {
  readonly queue: string;
  readonly jobId: string;
  readonly leaseToken: string;
};

/** A gateway under test, over the file's own Redis, with a queue of its own for each case. */
export class Stand {
  readonly log: ReturnType<typeof keptLog>;
  readonly wire: Wire;

  private constructor(
    readonly gateway: Gateway,
    readonly redis: UsedRedis,
    log: ReturnType<typeof keptLog>,
  ) {
    this.log = log;
    this.wire = new Wire(gateway.address);
  }

  static async start(redis: UsedRedis, env: Readonly<Record<string, string>> = {}): Promise<Stand> {
    const log = keptLog();
    const config = testConfig({ ECHOMQ_REDIS_URL: redis.url, ...env });
    return new Stand(await startGateway(config, log), redis, log);
  }

  async close(): Promise<void> {
    this.wire.close();
    await this.gateway.close();
  }

  /** A queue that nobody else knows. */
  queue(): FreshQueue {
    return this.redis.freshQueue();
  }

  /** A request of an rpc that is in order. */
  request<R extends Rpc>(rpc: R, about: About): ReturnType<typeof requestsAbout>[R] {
    return requestsAbout(about)[rpc];
  }

  /** Adds a job and returns its id. */
  async add(queue: string, more: JsonObject = {}): Promise<string> {
    const answer = await this.wire.answer('AddJob', { queue, name: 'n', ...more });
    return answer.jobId;
  }

  /** Takes a job as a worker. */
  async take(queue: string): Promise<Held> {
    const request = { queue, maxJobs: 1, wait: '5s', worker: { workerId: 'w', sessionId: 's' } };
    const { jobs }: Answer = await this.wire.answer('FetchJobs', request);
    return jobs[0].lease;
  }

  /** Adds a job and takes it. */
  async held(queue: string, more: JsonObject = {}): Promise<Held> {
    await this.add(queue, more);
    return await this.take(queue);
  }

  /** Makes a call that must fail. */
  async fails(rpc: string, request: JsonObject): Promise<Failure> {
    return failureOf(await this.wire.call(rpc, request));
  }
}

/** The failure of what must have failed. */
export function failureOf({ failure, answers }: Ended): Failure {
  if (!failure) throw new Error(`it succeeded: ${JSON.stringify(answers)}`);
  return failure;
}

/** The end of a stream, or an error after ten seconds. */
export const soon = (ended: Promise<Ended>): Promise<Ended> =>
  withLimit(ended, 'the end of the call', 10_000);
