import type { QueueNames } from '../../queue-names.js';

/**
 * The name by which clients reach a queue: without the braces that the engine itself puts round names in a cluster.
 *
 * @param stored the name as it stands in keys.
 */
export function clientName(names: QueueNames, stored: string): string {
  const inner = /^\{(.+)\}$/.exec(stored)?.[1];
  return inner !== undefined && tagsNames(names) ? inner : stored;
}

/** Whether names without braces get them in this store. */
function tagsNames(names: QueueNames): boolean {
  try {
    return names.resolve('q').keys.name === '{q}';
  } catch {
    return false;
  }
}
