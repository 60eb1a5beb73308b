import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Connection, connect, Queue } from '@echomq/sdk';
import { spawnNode, useRedis } from '@echomq/testkit';
import { afterAll, beforeAll } from 'vitest';
import { runCommandLine } from '../src/run.js';
import type { Terminal } from '../src/terminal/terminal.js';

/** The program as it is installed. */
export const cliMain = fileURLToPath(new URL('../build/main.js', import.meta.url));

const gatewayMain = join(
  dirname(createRequire(import.meta.url).resolve('@echomq/gateway')),
  'main.js',
);

/** What one run of the command line said and came to. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The lines of the output as JSON. */
  readonly values: readonly unknown[];
}

/** How one run is made. */
export interface Running {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly interrupted?: AbortSignal;
  /** Somebody sits there and can answer. */
  readonly isAttended?: boolean;
}

/** A gateway process on a private Redis for a test file, and the command line against it, in this process. */
export function useCli(gatewayArgs: readonly string[] = []) {
  const redis = useRedis();
  let address = '';
  let connection: Connection;
  let stop: () => void;
  let count = 0;
  beforeAll(async () => {
    const args = [`--redis-url=${redis.url}`, '--listen=127.0.0.1:0', ...gatewayArgs];
    const gateway = await spawnNode(gatewayMain, {
      args,
      ready: /listening on/,
      readyLimitMs: 30_000,
    });
    address = /listening on (\S+)$/.exec(gateway.readyLine)?.[1] ?? '';
    connection = connect({ address });
    stop = () => gateway.kill('SIGTERM');
  });
  afterAll(async () => {
    await connection?.close();
    stop?.();
  });
  return {
    redis,
    get address() {
      return address;
    },
    get connection() {
      return connection;
    },
    /** A queue of its own for a test. */
    queue: () => new Queue(`cli-${++count}`, { connection }),
    /** Runs `echomq ARGS` at this gateway. */
    echomq: (args: readonly string[], running: Running = {}) =>
      runCli(args, { ...running, env: { ECHOMQ_ADDRESS: address, ...running.env } }),
  };
}

/** A terminal that hears nothing and says nothing. */
export function silentTerminal(): Terminal {
  return {
    isLive: false,
    isAttended: false,
    env: {},
    stdin: new PassThrough().end(),
    stderr: new PassThrough(),
    interrupted: new AbortController().signal,
    endGently: () => undefined,
    out: async () => undefined,
    note: () => undefined,
  };
}

/** Runs `echomq ARGS`, as where nobody watches. */
export async function runCli(args: readonly string[], running: Running = {}): Promise<Ran> {
  const outs: string[] = [];
  const errs: string[] = [];
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      errs.push(`${chunk}`);
      done();
    },
  });
  const terminal: Terminal = {
    ...silentTerminal(),
    isAttended: running.isAttended ?? false,
    env: running.env ?? {},
    stdin: running.input === undefined ? new PassThrough().end() : Readable.from([running.input]),
    stderr,
    interrupted: running.interrupted ?? new AbortController().signal,
    out: async (text) => void outs.push(text),
    note: (text) => void errs.push(`${text}\n`),
  };
  const before = { ...process.env };
  // Commander reads variables from the process.
  Object.assign(process.env, running.env);
  try {
    const code = await runCommandLine(args, terminal);
    const out = outs.join('\n');
    const lines = outs.flatMap((text) => text.split('\n'));
    const values = lines.flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
    return { code, out, err: errs.join(''), values };
  } finally {
    for (const name of Object.keys(running.env ?? {})) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}
