import type { ChildProcess } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinary } from './find-server.js';
import { freePort } from './free-port.js';
import { spawnGuarded } from './guarded.js';
import { instruction } from './install-server.js';
import { type LocalRedis, localRedis, type Place } from './local-redis.js';

/** How a private server is started. */
export interface LocalRedisOptions {
  /** `aof` (the default): append-only file, synced each second. `none`: nothing is kept. */
  readonly persistence?: 'aof' | 'none';
  /** Loopback port; without `port` and `socket` a free one is taken. */
  readonly port?: number;
  /** `true`: a unix socket in the folder instead of a port. A string: its path. */
  readonly socket?: boolean | string;
  /** Where the server keeps its files, left in place at the end; else a temporary folder. */
  readonly folder?: string;
  /** Remove the folder at the end although it was given. */
  readonly removeFolder?: boolean;
  /** Text of a configuration file, for what has no arguments (Sentinel); the server may rewrite it. */
  readonly config?: string;
  /** More arguments of the server, for example `['--maxmemory', '50mb']`; they come last and win. */
  readonly args?: readonly string[];
  /** The server binary; else the one that `ECHOMQ_REDIS_SERVER` or the PATH names. */
  readonly binary?: string;
}

/** The most that a server may take to load its files and listen. */
const START_LIMIT_MS = 30_000;
/** The shortest limit among the systems for a socket's path, in bytes. */
const SOCKET_PATH_LIMIT = 103;

/**
 * Starts a private server and waits until it accepts connections. It never installs one: commands
 * call `ensureServer` first.
 *
 * @throws Error when there is no server binary, or the server does not come up; then the message
 * carries the end of its log.
 */
export async function startLocalRedis(options: LocalRedisOptions = {}): Promise<LocalRedis> {
  const binary = options.binary ?? findBinary();
  if (!binary) throw new Error(instruction('a private server was asked for'));
  for (let attempt = 1; ; attempt += 1) {
    const { server, failure } = await launch(binary, options);
    if (failure === undefined) return server;
    await server.stop();
    // Between freePort and the server's bind somebody else may have taken the port.
    const unlucky = options.port === undefined && /address already in use/i.test(failure);
    if (!unlucky || attempt === 5) throw new Error(`${binary} did not start:\n${failure}`);
  }
}

async function launch(
  binary: string,
  options: LocalRedisOptions,
): Promise<{ server: LocalRedis; failure: string | undefined }> {
  const place = await choosePlace(options);
  const log = join(place.folder, 'redis.log');
  const output = openSync(log, 'w', 0o600);
  const config = join(place.folder, 'redis.conf');
  if (options.config !== undefined) writeFileSync(config, options.config);
  const child = spawnGuarded({
    binary,
    args: [
      ...(options.config === undefined ? [] : [config]),
      ...serverArgs(place),
      ...(options.args ?? []),
    ],
    cwd: place.folder,
    // LC_ALL: Redis 7 refuses to start under a locale that the machine does not have.
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
    output,
    ...(place.temporary ? { removeWithParent: place.folder } : {}),
  });
  closeSync(output);
  const server = localRedis(child, place);
  return { server, failure: await readiness(child, log) };
}

async function choosePlace(options: LocalRedisOptions): Promise<Place> {
  const temporary = options.removeFolder ?? options.folder === undefined;
  const folder = resolve(options.folder ?? mkdtempSync(join(tmpdir(), 'echomq-redis-')));
  mkdirSync(folder, { recursive: true });
  const keepsData = options.persistence !== 'none';
  const socketPath = options.socket
    ? resolve(folder, options.socket === true ? 'redis.sock' : options.socket)
    : undefined;
  if (socketPath !== undefined && Buffer.byteLength(socketPath) > SOCKET_PATH_LIMIT) {
    if (temporary) rmdirSync(folder);
    throw new Error(`a unix socket's path may have ${SOCKET_PATH_LIMIT} bytes: ${socketPath}`);
  }
  const port = socketPath === undefined ? (options.port ?? (await freePort())) : undefined;
  return { folder, temporary, port, socketPath, keepsData };
}

function serverArgs({ port, socketPath, keepsData }: Place): string[] {
  const listen =
    socketPath === undefined
      ? ['--port', `${port}`, '--bind', '127.0.0.1']
      : ['--port', '0', '--unixsocket', socketPath, '--unixsocketperm', '700'];
  const keep = ['--appendonly', keepsData ? 'yes' : 'no', '--appendfsync', 'everysec'];
  return [...listen, ...keep, '--save', '', '--daemonize', 'no', '--logfile', ''];
}

/**
 * Waits for the server's own word in its own log: a PING could be answered by a stranger who has
 * taken the port.
 *
 * @returns why the server did not start, or `undefined` when it did.
 */
async function readiness(child: ChildProcess, log: string): Promise<string | undefined> {
  let refused: string | undefined;
  child.once('error', (error) => {
    refused = error.message;
  });
  const limit = Date.now() + START_LIMIT_MS;
  while (Date.now() < limit) {
    if (refused !== undefined) return refused;
    // Asked before the log is read, so that the log of a server that has ended is whole.
    const over = child.exitCode !== null || child.signalCode !== null;
    const said = readFileSync(log, 'utf8');
    if (over) return tail(said);
    if (/ready to accept connections|Sentinel ID is/i.test(said)) return undefined;
    await sleep(5);
  }
  return `not ready after ${START_LIMIT_MS} ms\n${tail(readFileSync(log, 'utf8'))}`;
}

function tail(log: string): string {
  return log.trimEnd().split('\n').slice(-12).join('\n');
}
