import type { Opened, Payload } from '../contender.js';

const BULK = 1_000;
/** A bulk weighs no more than half of what EchoMQ takes in one call by default, bytes. */
const BULK_BYTES = 512 * 1_024;
const IN_FLIGHT = 200;

/** Adds jobs by the fastest way that the contender has; what it costs is not measured. */
export async function fill(opened: Opened, items: readonly Payload[]): Promise<void> {
  if (opened.addBulk) {
    const each = JSON.stringify(items[0] ?? {}).length;
    const bulk = Math.max(1, Math.min(BULK, Math.floor(BULK_BYTES / each)));
    for (let at = 0; at < items.length; at += bulk) {
      await opened.addBulk(items.slice(at, at + bulk));
    }
    return;
  }
  await inTurn(items, IN_FLIGHT, (data) => opened.add(data));
}

/** Calls `each` for every item, in their order, with at most `inFlight` calls under way. */
export async function inTurn<T>(
  items: readonly T[],
  inFlight: number,
  each: (item: T) => Promise<unknown>,
): Promise<void> {
  let at = 0;
  const lane = async () => {
    for (let item = items[at++]; item !== undefined; item = items[at++]) await each(item);
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}
