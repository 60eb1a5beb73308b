import { randomBytes } from 'node:crypto';
import { ensureServer, freePort, startLocalRedis } from '@echomq/local-redis';
import { connect, Queue } from '@echomq/sdk';
import type { Redis } from 'ioredis';
import type { Ending } from './ending.js';
import type { Languages } from './languages.js';
import type { DemoOptions } from './options.js';
import { type Running, start } from './processes.js';
import { gatewayProgram, SWEEP_MS, workerProgram } from './programs.js';
import { maskPassword, reach } from './redis-at.js';
import { keysBelow, StoredQueue } from './stored-queue.js';

/** What surrounds a run. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  /** Aborts the run; its reason says why. */
  readonly signal: AbortSignal;
  /** Closes what was opened. */
  readonly ending: Ending;
  /** Writes a line. */
  readonly say: (line: string) => void;
}

/** Redis and the gateway, running. */
export interface Stage {
  readonly queue: Queue<object>;
  readonly stored: StoredQueue;
  /** The demo's own connection. */
  readonly redis: Redis;
  readonly gateway: Running;
  /** What the gateway's metrics are now; undefined where they were not asked for. */
  metrics(): Promise<string | undefined>;
  /** The language of each worker. */
  readonly languages: Languages;
  /** Starts a worker process, in a language of SAMPLE_WORKERS; the signal gives the start up. */
  startWorker(name: string, language: string, signal: AbortSignal): Promise<Running>;
}

const QUEUE = 'demo';

/** Starts Redis (or reaches the one that was named) and the gateway; each is noted in the ending at once. */
export async function openStage(options: DemoOptions, around: Surroundings): Promise<Stage> {
  const { env, signal, ending, say } = around;
  const url = options.redisUrl ?? (await privateServer(around));
  const { redis, version } = await reach(url, env);
  ending.add('the connection to Redis', () => redis.disconnect());
  signal.throwIfAborted();

  const prefix = `echomq-demo-${randomBytes(6).toString('hex')}`;
  if (options.redisUrl === undefined)
    say(`Redis ${version}: a private one at ${url}, ended with the demo`);
  else {
    say(`Redis ${version} at ${maskPassword(url)}: keys ${prefix}:*, removed at the end`);
    ending.add('the removal of the keys', () => removeKeys(redis, `${prefix}:`));
  }

  const metricsPort = options.metricsFile === undefined ? undefined : await freePort();
  const place = { redisUrl: url, prefix, metricsPort };
  const gateway = await start(gatewayProgram(place, env), signal);
  ending.add('the gateway', () => gateway.stop());
  const address = gateway.readyMatch[1] ?? '';
  say(`Gateway at ${address} (process ${gateway.pid}): stalled sweep each ${SWEEP_MS} ms`);

  const connection = connect({ address });
  ending.add('the SDK', () => connection.close());
  return {
    queue: new Queue<object>(QUEUE, { connection }),
    stored: new StoredQueue(redis, { prefix, queue: QUEUE }),
    redis,
    gateway,
    metrics: async () => {
      if (metricsPort === undefined) return undefined;
      return (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    },
    languages: new Map(),
    startWorker: (name, language, given) => {
      const { concurrency } = options;
      const place = { name, address, queue: QUEUE, concurrency, language };
      return start(workerProgram(place, env), AbortSignal.any([signal, given]));
    },
  };
}

async function privateServer({ ending, say }: Surroundings): Promise<string> {
  await ensureServer(say);
  const server = await startLocalRedis();
  ending.add('the private Redis', () => server.stop());
  return server.url;
}

async function removeKeys(redis: Redis, base: string): Promise<void> {
  const keys = [...(await keysBelow(redis, base))];
  for (let from = 0; from < keys.length; from += 1_000) {
    await redis.unlink(...keys.slice(from, from + 1_000));
  }
}
