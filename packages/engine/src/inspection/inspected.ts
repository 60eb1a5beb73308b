import type { Store } from '@echomq/core';
import type { NamedQueue } from '../queue-names.js';

/** A queue that is looked at. */
export interface Inspected {
  readonly store: Store;
  readonly queue: NamedQueue;
  /** When, ms since the epoch by the store's clock. */
  readonly seenAt: number;
}
