import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { SAMPLE_WORKERS } from '@echomq/languages';
import type { Program } from './processes.js';

/** Life of a worker's lock: a dead worker's jobs are free after it, ms. */
export const LOCK_MS = 3_000;
/** Time between two stalled sweeps, ms. */
export const SWEEP_MS = 1_000;

/** Where the gateway finds its queue. */
export interface GatewayPlace {
  readonly redisUrl: string;
  readonly prefix: string;
  /** A free port for its metrics; absent: it has none. */
  readonly metricsPort?: number | undefined;
}

/** The gateway as `echomq-gateway` runs it, on a free loopback port. */
export function gatewayProgram(
  place: GatewayPlace,
  env: NodeJS.ProcessEnv,
): Program & { readonly script: string } {
  return {
    name: 'gateway',
    script: mainOf('@echomq/gateway'),
    args: [
      '--listen=127.0.0.1:0',
      `--prefix=${place.prefix}`,
      `--stalled-interval-ms=${SWEEP_MS}`,
      '--log-level=warn',
      ...(place.metricsPort === undefined
        ? []
        : [`--metrics-listen=127.0.0.1:${place.metricsPort}`]),
    ],
    // Not as an argument: a URL may hold a password, and arguments are for everybody to see.
    env: { ...without(env, /^ECHOMQ_(?!REDIS_)/), ECHOMQ_REDIS_URL: place.redisUrl },
    ready: /listening on (\S+)$/,
  };
}

/** What a worker is told. */
export interface WorkerPlace {
  readonly name: string;
  readonly address: string;
  readonly queue: string;
  readonly concurrency: number;
  /** A name of SAMPLE_WORKERS. */
  readonly language: string;
}

/**
 * A sample worker. It knows the gateway's address alone.
 *
 * @throws Error where the language has no tools here
 */
export function workerProgram(place: WorkerPlace, env: NodeJS.ProcessEnv): Program {
  const { name, address, queue, concurrency, language } = place;
  const found = SAMPLE_WORKERS[language]?.find() ?? { missing: `no worker in ${language}` };
  if ('missing' in found) throw new Error(`${name}, in ${language}: ${found.missing}`);
  return {
    name,
    binary: found.binary,
    args: [
      ...found.args,
      `--address=${address}`,
      `--queue=${queue}`,
      `--concurrency=${concurrency}`,
      `--name=${name}`,
      `--lock-duration=${LOCK_MS}`,
    ],
    env: { ...without(env, /^ECHOMQ_/), ...found.env },
    ready: /works on/,
  };
}

/** A user's settings for a gateway of his own are none of the demo's. */
function without(env: NodeJS.ProcessEnv, names: RegExp): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.test(name)));
}

/** The program of an app stands beside what the app exports. */
function mainOf(app: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(app)), 'main.js');
}
