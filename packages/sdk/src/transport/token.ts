import { Metadata } from '@grpc/grpc-js';
import { type EchoMQError, errorOf, invalid } from '../errors.js';
import type { CallOptions } from './transport.js';
import { withinTime } from './within-time.js';

/** A bearer token, or what brings the one that is valid now. */
export type TokenSource = string | (() => string | Promise<string>);

/** @throws InvalidRequest where it can bring no token */
export function checkToken(source: unknown): void {
  if (source === undefined || typeof source === 'function') return;
  if (typeof source === 'string' && source !== '') return;
  throw invalid('token', 'must be a text that is not empty, or a function that brings one');
}

/**
 * The metadata of one call: the token as `authorization`, if there is one. Made anew for each call, so that a renewed
 * token is used at once.
 */
export async function bearerMetadata(
  source: TokenSource | undefined,
  options: CallOptions,
): Promise<Metadata> {
  const metadata = new Metadata();
  if (source === undefined) return metadata;
  const token = typeof source === 'string' ? source : await ask(source, options);
  if (typeof token !== 'string' || token === '')
    throw refused('the token that was brought is no text');
  try {
    metadata.set('authorization', `Bearer ${token}`);
  } catch (cause) {
    throw refused('the token has characters that no header can carry', cause);
  }
  return metadata;
}

async function ask(source: () => string | Promise<string>, options: CallOptions): Promise<string> {
  const asked = (async () => source())().catch((cause: unknown) => {
    throw refused('the token could not be had', cause);
  });
  return withinTime(asked, options);
}

function refused(message: string, cause?: unknown): EchoMQError {
  return errorOf(message, {
    code: 'UNAUTHENTICATED',
    reason: 'TOKEN_UNAVAILABLE',
    retryable: true,
    cause,
  });
}
