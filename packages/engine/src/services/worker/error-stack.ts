import type { FailOutcome } from '@echomq/proto/messages';
import type { Limits } from '../../limits.js';
import { cutText } from '../../messages/cut-text.js';

/** The stack that is kept of a failure: it begins with the error's name and message, as JavaScript's do. */
export function stackOf(failure: FailOutcome, limits: Limits): string {
  const { errorName, message, stack } = failure;
  const head = `${errorName || 'Error'}: ${message}`;
  const text = stack.join('\n');
  const whole = text.startsWith(errorName || 'Error') ? text : [head, text].join('\n').trimEnd();
  return cutText(whole, limits.maxStackBytes);
}
