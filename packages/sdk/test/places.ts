import { randomBytes } from 'node:crypto';
import { type Gateway, loadConfig, startGateway } from '@echomq/gateway';
import { type UsedRedis, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { embedded } from '../src/embedded/index.js';
import type { Handler, WorkerEvents, WorkerOptions } from '../src/index.js';
import { type Connection, connect, Queue, Worker } from '../src/index.js';

/** Lock and sweep of the engines under test, ms. */
export const LOCK_MS = 1_000;
export const SWEEP_MS = 200;

/** Where a test's calls go. */
export interface Place {
  readonly kind: 'embedded' | 'gateway';
  readonly redis: UsedRedis;
  /** A connection, closed after the test. */
  connection(): Connection;
  /** A queue that no other test knows, on a connection of its own unless one is given. */
  queue<Data = unknown, Result = unknown>(connection?: Connection): Queue<Data, Result>;
  /** A worker, closed with the test; errors that are told fail nothing. */
  worker<Data = unknown, Result = unknown>(
    queue: Queue<Data, Result>,
    handler: Handler<Data, Result>,
    options?: Partial<WorkerOptions>,
  ): Worker<Data, Result>;
}

const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Runs the same tests over an engine in this process and over a gateway, each on a private Redis. */
export function overBoth(title: string, tests: (place: Place) => void): void {
  describe.each(['embedded', 'gateway'] as const)(`${title}, %s`, (kind) => {
    const redis = useRedis();
    let gateway: Gateway | undefined;
    if (kind === 'gateway') {
      beforeAll(async () => {
        const loaded = loadConfig({
          env: {},
          argv: [
            `--redis-url=${redis.url}`,
            '--listen=127.0.0.1:0',
            `--default-lock-ms=${LOCK_MS}`,
            `--stalled-interval-ms=${SWEEP_MS}`,
          ],
        });
        if (loaded.kind !== 'run') throw new Error('no configuration');
        gateway = await startGateway(loaded.config, silent);
      });
      afterAll(async () => gateway?.close());
    }
    const connection = () => {
      const made = gateway
        ? connect({ address: gateway.address })
        : embedded({
            redis: redis.url,
            limits: { defaultLockMs: LOCK_MS },
            sweep: { stalledIntervalMs: SWEEP_MS },
            freezeMessages: true,
          });
      onTestFinished(() => made.close());
      return made;
    };
    tests({
      kind,
      redis,
      connection,
      queue: (given) =>
        new Queue(`q-${randomBytes(5).toString('hex')}`, { connection: given ?? connection() }),
      worker: (queue, handler, options) => {
        const worker = new Worker(queue.name, handler, {
          connection: queue.connection,
          ...options,
        });
        worker.on('error', () => {});
        onTestFinished(() => worker.close({ timeoutMs: 0 }));
        return worker;
      },
    });
  });
}

/** What the next event of that name brings. */
export function next<Data, Result, Name extends keyof WorkerEvents<Data, Result> & string>(
  worker: Worker<Data, Result>,
  name: Name,
): Promise<WorkerEvents<Data, Result>[Name]> {
  return new Promise((resolve) => {
    const listener = (...args: unknown[]) => resolve(args as WorkerEvents<Data, Result>[Name]);
    worker.once(name, listener as never);
  });
}
