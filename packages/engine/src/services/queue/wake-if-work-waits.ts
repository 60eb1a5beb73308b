import type { EngineDeps } from '../../ports.js';
import type { NamedQueue } from '../../queue-names.js';

/** Sets the marker of a queue whose gate has opened, if anything waits: workers everywhere may sleep behind it. */
export async function wakeIfWorkWaits(
  { store }: Pick<EngineDeps, 'store'>,
  { keys }: NamedQueue,
): Promise<void> {
  const [ready, ranked, paused] = await Promise.all([
    store.command('LLEN', [keys.wait]),
    store.command('ZCARD', [keys.prioritized]),
    store.command('HEXISTS', [keys.meta, 'paused']),
  ]);
  // One that wakes in vain does no harm; a marker on an empty queue would be a key that stays.
  if (Number(ready) + Number(ranked) === 0 || paused === 1) return;
  await store.command('ZADD', [keys.marker, 0, '0']);
}
