import type { Store } from '@echomq/core';

/** Keys of one EXISTS. */
const MAX_KEYS = 1_000;

/**
 * Those of `items` of whose keys at least one exists. On a single server it costs one command while none exists, however
 * many items there are; in a cluster the keys of an item must share a slot.
 */
export async function withExistingKeys<T>(
  store: Store,
  items: readonly T[],
  keysOf: (item: T) => readonly string[],
): Promise<T[]> {
  const count = async (keys: readonly string[]) => Number(await store.command('EXISTS', keys));
  if (!store.redis.cluster) {
    const keys = items.flatMap(keysOf);
    let found = 0;
    for (let at = 0; at < keys.length && found === 0; at += MAX_KEYS) {
      found += await count(keys.slice(at, at + MAX_KEYS));
    }
    if (found === 0) return [];
  }
  const counts = await Promise.all(items.map((item) => count(keysOf(item))));
  return items.filter((_item, at) => (counts[at] ?? 0) > 0);
}
