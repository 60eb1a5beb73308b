import type { Receipt, ReplayGuard } from '@echomq/core';

/** An answer that has been given again so often, or never yet: see `ReplayGuard`. */
export function guardOf(
  { key, field, slot, digest }: Pick<Receipt, 'key' | 'field' | 'slot' | 'digest'>,
  replays = 0,
): ReplayGuard {
  return slot ? { key, field, replays, digest } : { key, field, replays };
}
