import { boundedText } from './text.js';

/**
 * A job's name: 1 to 512 bytes of well-formed text. BullMQ takes any; an empty one helps nobody who branches on it, and
 * each event of the job repeats it.
 *
 * @throws InvalidRequest that names `field`.
 */
export function jobName(name: string, field: string): string {
  return boundedText(name, field, { min: 1, max: 512 });
}
