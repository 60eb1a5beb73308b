import type { Receipt, ReplayGuard } from '@echomq/core';

/** An answer that has been given again so often, or never yet: see `ReplayGuard`. */
export function guardOf({ key, field }: Pick<Receipt, 'key' | 'field'>, replays = 0): ReplayGuard {
  return { key, field, replays };
}
