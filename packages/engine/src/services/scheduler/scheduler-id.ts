import { boundedText } from '../../validation/text.js';

/**
 * A scheduler's id: 1 to 256 bytes of any text, colons included.
 *
 * @throws InvalidRequest naming `scheduler_id`.
 */
export function schedulerIdOf(id: string): string {
  return boundedText(id, 'scheduler_id', { min: 1, max: 256 });
}
