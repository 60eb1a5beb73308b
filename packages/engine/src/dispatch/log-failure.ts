import { EchoMQError } from '@echomq/core';
import type { EngineLogger } from '../ports.js';

/** Logs that something failed which will be tried again. */
export function logFailure(
  logger: EngineLogger,
  event: string,
  error: unknown,
  facts: object = {},
): void {
  const reason = error instanceof EchoMQError ? error.reason : 'UNEXPECTED';
  logger.warn(event, { ...facts, reason, error: String(error) });
}
