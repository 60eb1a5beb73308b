/**
 * The SDK over an engine in this process: `embedded`, and the same `Queue` and `Worker` as `@echomq/sdk` offers over a
 * gateway. Loads no gRPC. Needs `@echomq/engine` and `@echomq/core`, which are optional peers of this package.
 */
export * from '../exports.js';
export { type EmbeddedOptions, embedded } from './embedded.js';
