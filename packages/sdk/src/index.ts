/**
 * The SDK over a gateway: `connect`, `Queue`, `Worker`, `QueueEvents`, `FlowProducer`. It speaks only `echomq.v1`; the
 * same classes over an engine in this process come from `@echomq/sdk/embedded`.
 */
export { type ConnectOptions, connect } from './connect.js';
export * from './exports.js';
export type { TlsOptions } from './transport/credentials.js';
export type { TokenSource } from './transport/token.js';
