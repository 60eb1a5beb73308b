import { type EchoMQError, TransitionRejected } from '@echomq/core';
import type { NamedQueue } from '../../queue-names.js';
import { tooLarge } from '../../validation/json-payload.js';
import { namedError } from '../named-error.js';

/**
 * Why the store took no job, as the producer named its parts: a limit of the queue on the data reads like the server's.
 *
 * @param data the path of the job's data in the request.
 */
export function addRefusal(error: unknown, queue: NamedQueue, data: string): unknown {
  return ofLongData(error, data) ?? namedError(error, queue);
}

/** The error for data that is longer than the queue allows, or `undefined` for another one. */
export function ofLongData(error: unknown, data: string): EchoMQError | undefined {
  if (!(error instanceof TransitionRejected && error.reason === 'PAYLOAD_TOO_LARGE')) return;
  const { limitBytes, actualBytes } = error.metadata;
  return tooLarge(data, Number(limitBytes), Number(actualBytes));
}
