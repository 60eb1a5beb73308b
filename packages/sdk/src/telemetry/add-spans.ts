import type * as pb from '@echomq/proto/messages';
import type { SpanRequest, Telemetry, TelemetrySpan } from './telemetry.js';

/** Runs an add within its span, if somebody traces. `jobs`: how many are added. */
export function tracedAdd<T>(
  telemetry: Telemetry | undefined,
  { queue, jobs }: { readonly queue: string; readonly jobs: number },
  add: (span: TelemetrySpan | undefined) => Promise<T>,
): Promise<T> {
  if (!telemetry) return add(undefined);
  const request: SpanRequest = {
    name: `add ${queue}`,
    kind: 'producer',
    facts: {
      'messaging.system': 'echomq',
      'messaging.operation.name': 'add',
      'messaging.operation.type': 'send',
      'messaging.destination.name': queue,
      ...(jobs === 1 ? {} : { 'messaging.batch.message_count': jobs }),
    },
  };
  return telemetry.span(request, add);
}

/** A job to add, with the context of the span that adds it; a context that it has already stays. */
export function withTrace<Item extends { readonly options: pb.JobOptions | undefined }>(
  item: Item,
  span: TelemetrySpan | undefined,
): Item {
  if (!span || !item.options || item.options.headers.traceparent !== undefined) return item;
  const headers = { ...item.options.headers, ...span.headers };
  return { ...item, options: { ...item.options, headers } };
}

/** The same for a whole tree. */
export function flowWithTrace(node: pb.FlowNode, span: TelemetrySpan | undefined): pb.FlowNode {
  if (!span) return node;
  const children = node.children.map((child) => flowWithTrace(child, span));
  return { ...withTrace(node, span), children };
}
