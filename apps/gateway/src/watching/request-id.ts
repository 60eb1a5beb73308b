import { randomUUID } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';

/** The name of the metadata in which the id of a request comes and goes back. */
export const REQUEST_ID = 'x-request-id';

/** Nothing that could break a line of a log, or be long. */
const FIT = /^[\w.:+/=@-]{1,128}$/;

/** The id that the caller gave, or a new one where it gave none that is fit to be logged. */
export function requestIdOf(metadata: Metadata): string {
  const [given] = metadata.get(REQUEST_ID);
  return typeof given === 'string' && FIT.test(given) ? given : randomUUID();
}
