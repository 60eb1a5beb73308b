import type { JobOptions } from '@echomq/proto/messages';

type Headers = JobOptions['headers'];

/** What the W3C names of a trace. */
const NAMES = ['traceparent', 'tracestate', 'baggage'] as const;

/**
 * The context of a trace as BullMQ's telemetry stores it: the JSON of what a propagator has injected. `undefined` where
 * the headers hold none.
 */
export function storedContext(headers: Headers): string | undefined {
  if (headers.traceparent === undefined) return undefined;
  return JSON.stringify(
    Object.fromEntries(
      NAMES.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
    ),
  );
}

/** The headers, with those of a stored context that they do not have themselves. */
export function withContext(headers: Headers, stored: unknown): Headers {
  if (typeof stored !== 'string' || headers.traceparent !== undefined) return headers;
  try {
    const context: unknown = JSON.parse(stored);
    if (typeof context !== 'object' || context === null) return headers;
    const texts = Object.entries(context).filter(([, value]) => typeof value === 'string');
    return { ...Object.fromEntries(texts), ...headers };
  } catch {
    // A foreign writer's, in a form that nobody here knows.
    return headers;
  }
}
