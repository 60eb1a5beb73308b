import {
  context,
  defaultTextMapGetter as getter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  defaultTextMapSetter as setter,
  type TextMapPropagator,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import type { SpanRequest, Telemetry, TelemetrySpan } from '../telemetry/telemetry.js';
import { SDK_VERSION } from '../version.js';

/** Where spans come from and how contexts are written. */
export interface OpenTelemetryOptions {
  /** The global one by default. */
  readonly tracerProvider?: TracerProvider;
  /** The global one by default: W3C Trace Context and Baggage, as the SDKs set it. */
  readonly propagator?: Pick<TextMapPropagator, 'inject' | 'extract'>;
}

const KINDS: Readonly<Record<SpanRequest['kind'], SpanKind>> = {
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/**
 * For the option `telemetry` of `Queue`, `Worker` and `FlowProducer`. Set up OpenTelemetry's SDK as for any program,
 * before or after: what is global is asked for at each span.
 *
 * @example
 * const telemetry = openTelemetry();
 * const orders = new Queue('orders', { connection, telemetry });
 * const worker = new Worker('orders', handler, { connection, telemetry });
 */
export function openTelemetry({
  tracerProvider,
  propagator = propagation,
}: OpenTelemetryOptions = {}): Telemetry {
  const provider = tracerProvider ?? trace;
  return {
    span: (request, work) => {
      const { name, kind, facts, parent, startedAt } = request;
      const above = parent ? propagator.extract(ROOT_CONTEXT, parent, getter) : context.active();
      const options = {
        kind: KINDS[kind],
        attributes: { ...facts },
        ...(startedAt === undefined ? {} : { startTime: startedAt }),
      };
      const span = provider.getTracer('@echomq/sdk', SDK_VERSION).startSpan(name, options, above);
      const within = trace.setSpan(above, span);
      const headers: Record<string, string> = {};
      propagator.inject(within, headers, setter);
      return context.with(within, () => ended(span, () => work(told(span, headers))));
    },
  };
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    fail(span, error);
    throw error;
  } finally {
    span.end();
  }
}

function told(span: Span, headers: Readonly<Record<string, string>>): TelemetrySpan {
  return {
    headers,
    note: (facts) => void span.setAttributes({ ...facts }),
    fail: (error) => fail(span, error),
  };
}

function fail(span: Span, error: unknown): void {
  const known = error instanceof Error ? error : new Error(String(error));
  span.recordException(known);
  span.setAttribute('error.type', reasonOf(known));
  span.setStatus({ code: SpanStatusCode.ERROR, message: known.message });
}

/** The reason on which programs branch, if there is one. */
function reasonOf(error: Error): string {
  const { reason } = error as { readonly reason?: unknown };
  return typeof reason === 'string' && reason !== '' ? reason : error.name;
}
