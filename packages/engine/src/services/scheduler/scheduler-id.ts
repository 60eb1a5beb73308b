import { InvalidRequest } from '@echomq/core';
import { boundedText } from '../../validation/text.js';

/** An id that ends like that of a run: its record would stand under the key of another scheduler's job. */
const LIKE_A_RUN = /:\d{10,}(:|$)/;

/**
 * The id of a scheduler that may exist: 1 to 256 bytes of any text, colons included.
 *
 * @throws InvalidRequest naming `scheduler_id`.
 */
export function schedulerIdOf(id: string): string {
  return boundedText(id, 'scheduler_id', { min: 1, max: 256 });
}

/**
 * The id of a scheduler to be made.
 *
 * @throws InvalidRequest naming `scheduler_id`, for one that would be taken for the id of a run too.
 */
export function newSchedulerId(id: string): string {
  const checked = schedulerIdOf(id);
  if (!LIKE_A_RUN.test(checked)) return checked;
  throw new InvalidRequest('scheduler_id', 'must not end like the id of a run, in a long number');
}
