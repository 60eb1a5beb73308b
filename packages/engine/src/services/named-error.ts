import { EchoMQError } from '@echomq/core';
import type { NamedQueue } from '../queue-names.js';

/** A rejection of the core with the queue as the client named it: in a cluster keys have braces that names have not. */
export function namedError(error: unknown, { name, keys }: NamedQueue): unknown {
  const other = keys.name !== name && error instanceof EchoMQError;
  if (!other || error.metadata.queue !== keys.name) return error;
  return new EchoMQError(error.message, {
    code: error.code,
    reason: error.reason,
    retryable: error.retryable,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    metadata: { ...error.metadata, queue: name },
    cause: error,
  });
}
