/** Metrics, loaded where they are configured. */
export { GatewayMetrics } from './gateway-metrics.js';
export { MetricsServer } from './metrics-server.js';
