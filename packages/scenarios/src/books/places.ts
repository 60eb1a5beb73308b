import type { QueueDump } from '@echomq/testkit';

/** The lists and sets that hold ids. */
export const LOCATIONS = [
  'wait',
  'paused',
  'prioritized',
  'delayed',
  'active',
  'waiting-children',
  'completed',
  'failed',
] as const;

/** One of {@link LOCATIONS}. */
export type Location = (typeof LOCATIONS)[number];

/** Where each id is; twice in one list counts as two places. Marker members of old peers are no ids. */
export function placesOf(dump: QueueDump): Map<string, Location[]> {
  const places = new Map<string, Location[]>();
  for (const location of LOCATIONS) {
    for (const id of idsIn(dump, location)) {
      if (/^0:\d+$/.test(id)) continue;
      places.set(id, [...(places.get(id) ?? []), location]);
    }
  }
  return places;
}

/** The ids in one location, in stored order. */
export function idsIn(dump: QueueDump, location: Location): string[] {
  const held = dump[location];
  if (!Array.isArray(held)) return [];
  return held.map((entry) =>
    typeof entry === 'string' ? entry : String((entry as [string, number])[0]),
  );
}

/** How many ids each location holds; empty ones are left out. */
export function countsOf(dump: QueueDump): Partial<Record<Location, number>> {
  const counts = LOCATIONS.map((location) => [location, idsIn(dump, location).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
