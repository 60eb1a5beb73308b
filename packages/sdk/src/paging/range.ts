import { invalid } from '../errors.js';

/** A part of a list by position, both ends counted, from 0. An end of -1 is the last entry. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The largest page of the contract. */
const MAX_PAGE = 1_000;

/** Checks a range. @throws InvalidRequest naming `start` or `end` */
export function checkRange({ start, end }: Range): void {
  if (!Number.isSafeInteger(start) || start < 0) {
    throw invalid('start', 'must be an integer from 0');
  }
  if (!Number.isSafeInteger(end) || end < -1) {
    throw invalid('end', 'must be an integer from 0, or -1 for the last');
  }
}

/** The size of the pages with which a range is read. */
export function pageSizeFor({ end }: Range): number {
  return end < 0 ? MAX_PAGE : Math.min(MAX_PAGE, end + 1);
}

/** The entries of a range. What stands before it is read too: the contract has pages and no positions. */
export async function takeRange<Item>(
  list: AsyncIterable<Item>,
  { start, end }: Range,
): Promise<Item[]> {
  const items: Item[] = [];
  let at = 0;
  for await (const item of list) {
    if (at >= start) items.push(item);
    if (at === end) break;
    at += 1;
  }
  return items;
}
