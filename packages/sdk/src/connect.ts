import { Connection, checkTimeout, DEFAULT_TIMEOUT_MS } from './connection.js';
import { type GrpcOptions, grpcTransport } from './transport/grpc.js';

/** How to reach a gateway. */
export interface ConnectOptions extends GrpcOptions {
  /** How long a call may take, in ms; 10,000 by default. Not the Work stream of a worker. */
  readonly timeoutMs?: number;
}

/**
 * A connection to a gateway. It connects with the first call and reconnects by itself; nothing is sent before.
 *
 * @throws InvalidRequest naming the option that cannot be used; a token on a plain channel that leaves this machine
 */
export function connect(options: ConnectOptions): Connection {
  const timeoutMs = checkTimeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  return new Connection(grpcTransport(options), timeoutMs);
}
