import type { EngineObserver } from '@echomq/engine';
import type { GatewayConfig } from '../gateway-config.js';
import type { GatewayLogger } from '../log.js';
import type { MeasuredEngine } from '../metrics/gateway-metrics.js';
import type { MetricsServer } from '../metrics/metrics-server.js';
import { openTracing } from '../tracing/open-tracing.js';
import { callLog } from './call-log.js';
import type { CallWatcher } from './watch-calls.js';

/** What watches a gateway: its log, and metrics and traces where they are configured. */
export interface Observation {
  readonly watchers: readonly CallWatcher[];
  /** Hears what the engine of a namespace does; absent: nothing is measured. */
  readonly observerOf?: (namespace: string) => EngineObserver;
  /** Begins to serve metrics. Returns where. @throws Error when that address is taken */
  serve(engines: ReadonlyMap<string, MeasuredEngine>): Promise<string | undefined>;
  /** Ends all of it. */
  close(): Promise<void>;
}

/** Makes what the configuration asks for; the libraries of what it does not ask for are not even loaded. */
export async function openObservation(
  config: Pick<GatewayConfig, 'metricsServer' | 'tracing'>,
  logger: GatewayLogger,
): Promise<Observation> {
  const { metricsServer, tracing } = config;
  const measuring = metricsServer && (await import('../metrics/index.js'));
  const metrics = measuring && new measuring.GatewayMetrics(metricsServer);
  const traces = tracing && (await openTracing(tracing));
  let server: MetricsServer | undefined;
  return {
    watchers: [
      callLog(logger),
      ...(metrics ? [metrics.calls] : []),
      ...(traces ? [traces.calls] : []),
    ],
    ...(metrics ? { observerOf: (namespace) => metrics.observerOf(namespace) } : {}),
    serve: async (engines) => {
      if (!measuring || !metrics) return undefined;
      metrics.readFrom(engines);
      server = await measuring.MetricsServer.listen(metrics, metricsServer);
      return server.address;
    },
    close: async () => {
      await server?.close();
      await traces?.close();
    },
  };
}
