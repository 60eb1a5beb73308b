import { freshQueue, type RedisClient } from '@echomq/testkit';
import { RPCS, stockedQueue } from './attempt.js';
import type { Rpc } from './requests.js';

/** A stocked queue for each rpc, so that none gets in the way of another. Returns their names. */
export async function stockedQueues(client: RedisClient): Promise<ReadonlyMap<Rpc, string>> {
  const queues = RPCS.map((rpc) => [rpc, freshQueue(client)] as const);
  await Promise.all(queues.map(([, queue]) => stockedQueue(queue)));
  return new Map(queues.map(([rpc, { name }]) => [rpc, name]));
}

/** Keys of a queue that hold anything but text. */
const SUFFIXES = [
  ...['wait', 'active', 'delayed', 'prioritized', 'completed', 'failed', 'waiting-children'],
  ...[
    'meta',
    'events',
    'marker',
    'repeat',
    'stalled',
    'paused',
    'held',
    'waiting',
    'metrics:completed',
  ],
  ...['held:logs', 'held:dependencies', 'held:processed', 'repeat:s', 'failed', 'meta:workers'],
];

/** A queue whose keys are all of the wrong type. Returns its name. */
export async function brokenQueue(client: RedisClient): Promise<string> {
  const queue = freshQueue(client);
  await Promise.all(SUFFIXES.map((suffix) => client.set(queue.key(suffix), 'text')));
  for (const suffix of ['id', 'pc', 'held:lock', 'limiter', 'de:d']) {
    await client.rpush(queue.key(suffix), 'list');
  }
  return queue.name;
}
