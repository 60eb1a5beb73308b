import { boundedText } from './text.js';

/**
 * A job's name: 1 to 512 bytes of well-formed text. BullMQ takes any; an empty one helps nobody who branches on it, and
 * each event of the job repeats it.
 *
 * @throws InvalidRequest that names `field`.
 */
export function jobName(name: string, field: string): string {
  if (known.has(name)) return name;
  boundedText(name, field, { min: 1, max: 512 });
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(name);
  return name;
}

/** Names that have passed: there are few of them, and each job has one. */
const known = new Set<string>();
const MAX_KNOWN = 256;
