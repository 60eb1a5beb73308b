import { EchoMQError, type ErrorDetails, errorOf } from '../errors.js';

/**
 * The SDK's error for one of the engine, which has the same members and another class. Anything else that the engine
 * throws is a bug of ours and becomes INTERNAL.
 */
export function errorFromService(error: unknown): EchoMQError {
  if (error instanceof EchoMQError) return error;
  if (isEngineError(error)) {
    const { message, code, reason, retryable, retryAfterMs, metadata } = error;
    return errorOf(message, {
      code,
      reason,
      retryable: retryable ?? false,
      retryAfterMs,
      metadata: metadata ?? {},
      cause: error,
    });
  }
  return errorOf('the engine failed', { code: 'INTERNAL', reason: 'SCRIPT_ERROR', cause: error });
}

function isEngineError(error: unknown): error is Error & ErrorDetails {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    'reason' in error &&
    typeof error.reason === 'string'
  );
}
