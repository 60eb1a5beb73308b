import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The names under which a server binary is looked for, in order of preference. */
export const SERVER_NAMES = ['redis-server', 'valkey-server'] as const;

/** A server binary that can be started. */
export interface RedisServer {
  /** Path of the binary, ready for `spawn`. */
  readonly binary: string;
  /** What it says of itself, for example `7.0.15`. */
  readonly version: string;
}

/**
 * Path of the server binary: `ECHOMQ_REDIS_SERVER` when it is set, else the first of
 * {@link SERVER_NAMES} on the PATH.
 *
 * @returns `undefined` when there is none.
 * @throws Error when `ECHOMQ_REDIS_SERVER` names something that cannot be run.
 */
export function findBinary(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const chosen = env.ECHOMQ_REDIS_SERVER;
  if (chosen) {
    const found = chosen.includes('/') ? runnable(chosen) : onPath(chosen, env);
    if (!found) throw new Error(`ECHOMQ_REDIS_SERVER is ${chosen}, which cannot be run`);
    return found;
  }
  for (const name of SERVER_NAMES) {
    const found = onPath(name, env);
    if (found) return found;
  }
  return undefined;
}

/**
 * Asks a binary for its version.
 *
 * @throws Error when it does not run, or does not answer as a Redis or Valkey does.
 */
export async function describeServer(binary: string): Promise<RedisServer> {
  // LC_ALL: Redis 7 refuses to start under a locale that the machine does not have.
  const { stdout } = await promisify(execFile)(binary, ['--version'], {
    env: { ...process.env, LC_ALL: 'C' },
    timeout: 10_000,
  });
  const version = /\bv=(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (!version) throw new Error(`${binary} --version does not look like Redis: ${stdout.trim()}`);
  return { binary, version };
}

function onPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const found = folder && runnable(join(folder, name));
    if (found) return found;
  }
  return undefined;
}

function runnable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}
