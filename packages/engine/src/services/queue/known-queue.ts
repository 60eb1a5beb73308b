import { EchoMQError } from '@echomq/core';
import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';

/** Whether anything was ever added to a queue or set on it. */
export async function isKnown(
  { store }: Pick<EngineDeps, 'store'>,
  queue: NamedQueue,
): Promise<boolean> {
  return Number(await store.command('EXISTS', evidence(queue))) > 0;
}

/**
 * The queue that an administrator's write names, which must be there.
 *
 * @throws InvalidRequest for a bad name; EchoMQError QUEUE_NOT_FOUND.
 */
export async function knownQueue(
  deps: Pick<EngineDeps, 'store' | 'names'>,
  name: string,
): Promise<NamedQueue> {
  const queue = deps.names.resolve(name);
  if (await isKnown(deps, queue)) return queue;
  throw queueNotFound(queue);
}

/** The error for a queue to which nothing was ever added and on which nothing was set. */
export function queueNotFound(queue: NamedQueue): EchoMQError {
  return new EchoMQError('there is no such queue', {
    code: 'NOT_FOUND',
    reason: 'QUEUE_NOT_FOUND',
    metadata: { queue: queue.name },
  });
}

/** Keys of which a used queue has one at least, also where a foreign producer wrote no `meta`. */
function evidence({ keys }: NamedQueue): string[] {
  const finished = [keys.completed, keys.failed];
  const waiting = [keys.wait, keys.paused, keys.prioritized, keys.delayed, keys.waitingChildren];
  return [keys.meta, keys.id, keys.active, keys.schedulers, ...waiting, ...finished];
}
