import type { Store } from '@echomq/core';
import { compareIds, entriesOf, type StreamEntry } from './stream-entry.js';

/** The id of the newest event that is kept; `0-0` when there is none. */
export async function newestEventId(store: Store, key: string): Promise<string> {
  const reply = await store.command('XREVRANGE', [key, '+', '-', 'COUNT', 1]);
  return entriesOf(reply)[0]?.id ?? '0-0';
}

/** The id of the oldest event that is kept, or '' when there is none. */
export async function oldestEventId(store: Store, key: string): Promise<string> {
  const reply = await store.command('XRANGE', [key, '-', '+', 'COUNT', 1]);
  return entriesOf(reply)[0]?.id ?? '';
}

/** A part of the log after a cursor. */
export interface LogPage {
  readonly entries: readonly StreamEntry[];
  /** Events between the cursor and this oldest one may have been trimmed before they were read. */
  readonly gapBefore?: string;
}

/**
 * The events after a cursor, oldest first. `0-0` stands for the beginning of time. Something may be missing only when
 * the oldest event that is kept is newer than the cursor: then what stood between them was trimmed.
 */
export async function readEvents(
  store: Store,
  key: string,
  cursor: string,
  count: number,
): Promise<LogPage> {
  const reply = await store.command('XRANGE', [key, cursor, '+', 'COUNT', count + 1]);
  const entries = entriesOf(reply);
  if (entries[0]?.id === cursor) return { entries: entries.slice(1) };
  const page = { entries: entries.slice(0, count) };
  if (entries.length === 0 || cursor === '0-0') return page;
  const oldest = await oldestEventId(store, key);
  return compareIds(oldest, cursor) > 0 ? { ...page, gapBefore: oldest } : page;
}
