import type { RedisReply } from '@echomq/core';
import type { StoreInfo } from '@echomq/proto/messages';
import type { EngineDeps } from '../../ports.js';

/** How long a version that was read stands for the store's: it changes with a failover or a restart only. */
const FRESH_MS = 60_000;

/** Reads what the store calls itself, at most once a minute; the version is empty until it could be read. */
export function storeInfoReader(
  deps: Pick<EngineDeps, 'store' | 'clock'>,
): () => Promise<StoreInfo> {
  let known: StoreInfo = { name: 'redis', version: '', cluster: deps.store.redis.cluster };
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!deps.store.redis.ready || deps.clock.now() - readAt < FRESH_MS) return known;
    try {
      const reply = await deps.store.command('INFO', ['server']);
      known = { ...known, ...nameAndVersion(reply) };
      readAt = deps.clock.now();
    } catch {
      // The store is away, or the ACL user may not ask: what was known stays.
    }
    return known;
  };
}

function nameAndVersion(reply: RedisReply): Pick<StoreInfo, 'name' | 'version'> {
  const text = String(reply);
  const line = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1];
  const valkey = line('valkey_version');
  return valkey === undefined
    ? { name: 'redis', version: line('redis_version') ?? '' }
    : { name: 'valkey', version: valkey };
}

/** The store's clock as a date; this process's while the store cannot be asked. */
export async function storeTime({
  store,
  clock,
}: Pick<EngineDeps, 'store' | 'clock'>): Promise<Date> {
  if (store.redis.ready) {
    try {
      const reply = await store.command('TIME', []);
      const [seconds, micros] = Array.isArray(reply) ? reply.map(Number) : [];
      if (seconds && micros !== undefined) return new Date(seconds * 1_000 + micros / 1_000);
    } catch {
      // Answered all the same.
    }
  }
  return new Date(clock.now());
}
