/** The gateway as a library: what `echomq-gateway` runs, for tests and for programs that bring their own process. */
export {
  ConfigError,
  type ConfigSources,
  type Loaded,
  loadConfig,
} from './config.js';
export { startGateway } from './gateway.js';
export type { GatewayConfig } from './gateway-config.js';
export type { Gateway } from './serve.js';
export { VERSION } from './version.js';
