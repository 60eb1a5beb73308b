import { errorOf } from '../errors.js';
import type { CallOptions } from './transport.js';

/**
 * The promise, or the error that ends the wait for it first. The timer and the listener go with the wait.
 *
 * @throws DeadlineExceeded after `timeoutMs`; an error of code CANCELLED when `signal` aborts
 */
export async function withinTime<T>(
  promise: Promise<T>,
  { timeoutMs, signal }: CallOptions,
): Promise<T> {
  // Whoever loses the race may still reject.
  promise.catch(() => {});
  let reject: (error: Error) => void = () => {};
  const ended = new Promise<never>((_resolve, no) => {
    reject = no;
  });
  const abort = () => reject(cancelled(signal?.reason));
  const timer = setTimeout(() => reject(tooLate(timeoutMs)), timeoutMs);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The call's time is up. */
export function tooLate(timeoutMs: number) {
  return errorOf(`no answer within ${timeoutMs} ms`, {
    code: 'DEADLINE_EXCEEDED',
    reason: 'DEADLINE_EXCEEDED',
    retryable: true,
  });
}

/** The caller no longer wants an answer. */
export function cancelled(cause?: unknown) {
  return errorOf('the call was cancelled', { code: 'CANCELLED', reason: 'CANCELLED', cause });
}
