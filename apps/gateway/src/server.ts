import {
  type Server,
  ServerCredentials,
  type ServerInterceptor,
  type ServerOptions,
} from '@grpc/grpc-js';
import type { GatewayConfig } from './gateway-config.js';
import type { ListenAddress } from './settings/parsers.js';

/** How long the server waits for open streams after it has said that it goes. */
const GRACE_MS = 2_000;

/**
 * What the transport keeps to. There is no `max_connection_age`: after any GOAWAY the next keepalive ping kills every
 * open stream (grpc-node #3068); streams are moved by a directive in the stream instead. Channelz stays on: grpc-js
 * 1.14.7 knows its sessions through it alone, and without it `forceShutdown` cuts nothing.
 */
export function serverOptions(
  { limits }: GatewayConfig,
  interceptors: ServerInterceptor[],
): ServerOptions {
  return {
    interceptors,
    'grpc.max_receive_message_length': limits.maxMessageBytes,
    'grpc.max_send_message_length': limits.maxMessageBytes,
    'grpc.keepalive_time_ms': 20_000,
    'grpc.keepalive_timeout_ms': 10_000,
    'grpc.max_concurrent_streams': 1_000,
  };
}

/**
 * Binds the server.
 *
 * @param credentials for TLS; absent: plain text
 * @returns the address with the port that was bound
 * @throws Error that names the setting, when the address is taken, not this machine's or not to be had
 */
export async function listen(
  server: Server,
  { host, port }: ListenAddress,
  credentials: ServerCredentials = ServerCredentials.createInsecure(),
): Promise<string> {
  const name = host.includes(':') ? `[${host}]` : host;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${name}:${port}`, credentials, (error, bound) =>
      error ? reject(cannotListen(`${name}:${port}`, error)) : resolve(bound),
    );
  });
  return `${name}:${bound}`;
}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there already',
  EADDRNOTAVAIL: 'the address is none of this machine',
  EACCES: 'this user may not listen there',
  ENOTFOUND: 'no such host',
};

/** What grpc-js says of it has the code somewhere in its text. */
function cannotListen(address: string, error: Error): Error {
  const code = Object.keys(WHY).find((one) => error.message.includes(one));
  const why = code === undefined ? error.message : `${WHY[code]} (${code})`;
  return new Error(`listen: cannot listen on ${address}: ${why}`, { cause: error });
}

/** Says goodbye and waits a little for what is still open, then cuts it. */
export async function shutDown(server: Server): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    new Promise<void>((resolve) => {
      server.tryShutdown(() => resolve());
    }),
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GRACE_MS);
    }),
  ]);
  clearTimeout(timer);
  server.forceShutdown();
}
