import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';
import { clientName } from './client-name.js';

/** A child as its parent's keys name it. */
export interface ChildRef {
  /** Absent for a child under another prefix, which nobody here can reach. */
  readonly queue: NamedQueue | undefined;
  /** The queue as clients name it, or what stands in the key. */
  readonly queueName: string;
  readonly id: string;
}

/**
 * Takes the key of a child's hash apart. Below our own prefix the queue ends at the first colon, so that ids with
 * colons come out whole; under another prefix at the last one.
 */
export function childRef({ names }: Pick<EngineDeps, 'names'>, key: string): ChildRef {
  const head = `${names.prefix}:`;
  const begin = key.startsWith(head) ? head.length : 0;
  const colon = begin > 0 ? key.indexOf(':', begin) : key.lastIndexOf(':');
  if (colon < 0) return { queue: undefined, queueName: '', id: key };
  const queueName = clientName(names, key.slice(begin, colon));
  const id = key.slice(colon + 1);
  if (begin === 0) return { queue: undefined, queueName, id };
  try {
    return { queue: names.resolve(queueName), queueName, id };
  } catch {
    return { queue: undefined, queueName, id };
  }
}
