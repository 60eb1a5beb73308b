import { EchoMQError } from '@echomq/core';

/**
 * Where nothing was done for any part of a request because its id was used for another body, the call itself says so.
 *
 * @throws EchoMQError REQUEST_ID_REUSED.
 */
export function refuseReused(parts: readonly { readonly error?: unknown }[]): void {
  const reused = (error: unknown) =>
    error instanceof EchoMQError && error.reason === 'REQUEST_ID_REUSED';
  if (parts.length > 0 && parts.every(({ error }) => reused(error))) throw parts[0]?.error;
}
