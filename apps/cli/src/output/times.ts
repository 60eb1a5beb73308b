const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
];

/** A span for people: `3m`, `2h`, `850ms`. */
export function span(ms: number): string {
  const unit = UNITS.find(([, length]) => ms >= length);
  return unit === undefined
    ? `${Math.max(0, Math.round(ms))}ms`
    : `${Math.floor(ms / unit[1])}${unit[0]}`;
}

/** An instant for people and sorting; empty where there is none. */
export function instant(ms: number | undefined): string {
  return ms === undefined ? '' : new Date(ms).toISOString();
}
