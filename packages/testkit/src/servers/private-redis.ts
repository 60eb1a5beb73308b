import {
  freePort,
  type LocalRedis,
  type LocalRedisOptions,
  startLocalRedis,
} from '@echomq/local-redis';
import type { Redis } from 'ioredis';
import { track } from '../leaks/registry.js';
import { type AclUser, userArgs } from './acl.js';
import { type ClientOptions, Clients } from './clients.js';
import { makeTlsFiles, type TlsFiles, tlsArgs } from './tls.js';

/** How a test's server is started; persistence is `none` unless asked for. */
export interface PrivateRedisOptions extends Omit<LocalRedisOptions, 'folder' | 'removeFolder'> {
  /** The password of the default user. */
  readonly password?: string;
  /** More users, by name. */
  readonly users?: Readonly<Record<string, AclUser>>;
  /** TLS on the port instead of plain text. `mutual`: clients must show a certificate. */
  readonly tls?: boolean | 'mutual';
}

/** A server of one's own with clients of one's own. */
export interface PrivateRedis extends AsyncDisposable {
  /** `redis://…`, `rediss://…` or `unix:///…`, without user and password. */
  readonly url: string;
  readonly port: number | undefined;
  readonly socketPath: string | undefined;
  /** The pid of the running server; another one after {@link restart}. */
  readonly pid: number;
  readonly folder: string;
  /** The certificates, where the server speaks TLS. */
  readonly tls: TlsFiles | undefined;
  /** A new client, closed with the server. */
  connect(options?: ClientOptions): Redis;
  /** Sends a signal to the server: `SIGSTOP` freezes it, `SIGCONT` thaws it. */
  kill(signal: NodeJS.Signals): void;
  /** Kills the server as a power cut would and waits until it is gone. */
  crash(): Promise<void>;
  /** Starts the server again in its folder, at its address. Ends a running one first. */
  restart(): Promise<void>;
  /** Closes the clients, ends the server, removes its folder. */
  stop(): Promise<void>;
}

/**
 * Starts a private server.
 *
 * @throws Error when it does not start; the message carries its log.
 */
export async function privateRedis(options: PrivateRedisOptions = {}): Promise<PrivateRedis> {
  const { password, users, tls: wantsTls, args = [], ...rest } = options;
  const tls = wantsTls ? await makeTlsFiles() : undefined;
  const tlsPort = tls ? (options.port ?? (await freePort())) : undefined;
  const same: LocalRedisOptions = {
    persistence: 'none',
    ...rest,
    ...(tlsPort ? { port: tlsPort } : {}),
    args: [
      ...(password ? ['--requirepass', password] : []),
      ...userArgs(users),
      ...(tls && tlsPort ? tlsArgs(tls, tlsPort, wantsTls === 'mutual') : []),
      ...args,
    ],
  };
  const server = await startLocalRedis(same).catch((error: unknown) => {
    tls?.remove();
    throw error;
  });
  const { port = 0, socketPath } = server;
  const clients = new Clients({
    ...(socketPath ? { path: socketPath } : { host: '127.0.0.1', port }),
    ...(password ? { password } : {}),
    ...(tls ? { tls: { ca: tls.caText, cert: tls.clientCertText, key: tls.clientKeyText } } : {}),
  });
  return handle(server, { same, tls, clients });
}

interface Parts {
  /** What every start of this server has in common. */
  readonly same: LocalRedisOptions;
  readonly tls: TlsFiles | undefined;
  readonly clients: Clients;
}

function handle(first: LocalRedis, { same, tls, clients }: Parts): PrivateRedis {
  let server = first;
  const { port, socketPath, folder } = first;
  const untrack = track(`private redis at ${first.url}`);
  const crash = async (): Promise<void> => {
    server.kill('SIGKILL');
    await server.ended;
  };
  const restart = async (): Promise<void> => {
    await crash();
    const at = socketPath ? { socket: socketPath } : { port: port ?? 0 };
    server = await startLocalRedis({ ...same, ...at, folder, removeFolder: true });
  };
  const stop = async (): Promise<void> => {
    clients.closeAll();
    await server.stop();
    tls?.remove();
    untrack();
  };
  return {
    url: tls ? first.url.replace('redis:', 'rediss:') : first.url,
    port,
    socketPath,
    folder,
    tls,
    get pid() {
      return server.pid;
    },
    connect: (options) => clients.connect(options),
    kill: (signal) => server.kill(signal),
    crash,
    restart,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
