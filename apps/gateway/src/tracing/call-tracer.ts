import { status as codes, type Metadata } from '@grpc/grpc-js';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { CallWatcher } from '../watching/watch-calls.js';

const getter: TextMapGetter<Metadata> = {
  keys: (metadata) => Object.keys(metadata.getMap()),
  get: (metadata, name) => metadata.get(name).map(String),
};

/** Faults of ours; those of a caller are no errors of this span, as OpenTelemetry's conventions have it. */
const FAULTS: ReadonlySet<codes> = new Set([
  codes.UNKNOWN,
  codes.INTERNAL,
  codes.UNAVAILABLE,
  codes.DATA_LOSS,
  codes.DEADLINE_EXCEEDED,
  codes.UNIMPLEMENTED,
]);

/** A span for each unary call. Streams have none: they live for hours, and their jobs have spans of their own. */
export function callTracer(tracer: Tracer): CallWatcher {
  const propagator = new W3CTraceContextPropagator();
  return ({ path, streams, metadata, requestId }) => {
    if (streams) return undefined;
    const [, service = '', method = ''] = path.split('/');
    const parent = propagator.extract(ROOT_CONTEXT, metadata, getter);
    const attributes = {
      'rpc.system': 'grpc',
      'rpc.service': service,
      'rpc.method': method,
      'echomq.request_id': requestId,
    };
    const span = tracer.startSpan(
      `${service}/${method}`,
      { kind: SpanKind.SERVER, attributes },
      parent,
    );
    return ({ code, reason }) => {
      span.setAttribute('rpc.grpc.status_code', code);
      if (reason !== undefined) span.setAttribute('error.type', reason);
      if (FAULTS.has(code)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    };
  };
}
