import type { GatewayConfig } from '../gateway-config.js';
import { VERSION } from '../version.js';
import type { CallWatcher } from '../watching/watch-calls.js';

/** The spans of a gateway. */
export interface Tracing {
  readonly calls: CallWatcher;
  /** Sends what is left, for a few seconds at most. Never rejects. */
  close(): Promise<void>;
}

/** The last spans may take so long to go out, ms. */
const FAREWELL_MS = 3_000;

/**
 * Sends a span for every unary call, as a child of the one in the call's `traceparent`. All of OpenTelemetry's SDK is
 * loaded here and nowhere else, so that a gateway without tracing does not pay for it.
 */
export async function openTracing({
  url,
  share,
}: NonNullable<GatewayConfig['tracing']>): Promise<Tracing> {
  const [sdk, { resourceFromAttributes }, { OTLPTraceExporter }, { callTracer }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
      import('./call-tracer.js'),
    ]);
  const provider = new sdk.NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'echomq-gateway',
      'service.version': VERSION,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  return {
    calls: callTracer(provider.getTracer('echomq-gateway', VERSION)),
    close: async () => {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, FAREWELL_MS);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), limit]);
      clearTimeout(timer);
    },
  };
}
