/** The clocks of a zone, for what the parser of rules cannot do: zones whose clocks change by other than one hour. */

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    const two = '2-digit';
    const date = { year: 'numeric', month: two, day: two } as const;
    const time = { hour: two, minute: two, second: two, hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, ...date, ...time });
    formats.set(zone, format);
  }
  return format;
}

/** What the clocks of a zone show at an instant, as if they were at UTC. Both in ms since the epoch. */
export function toWall(zone: string, instant: number): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const day = Date.UTC(of('year'), of('month') - 1, of('day'));
  const seconds = of('hour') * 3_600 + of('minute') * 60 + of('second');
  return day + seconds * 1_000 + (instant % 1_000);
}

/** The instant at which clocks show this: the first of two; where they skip it, later by what they skip. */
export function fromWall(zone: string, wall: number): number {
  const offset = (instant: number) => toWall(zone, instant) - instant;
  const before = wall - offset(wall - DAY_MS);
  const after = wall - offset(wall + DAY_MS);
  const shown = [before, after].filter((instant) => toWall(zone, instant) === wall);
  return shown.length > 0 ? Math.min(...shown) : before;
}

/** Whether the clocks of a zone change by other than one hour in the year of an instant. */
export function changesOddly(zone: string, instant: number): boolean {
  const year = new Date(instant).getUTCFullYear();
  const offset = (month: number) => {
    const at = Date.UTC(year, month, 1);
    return toWall(zone, at) - at;
  };
  const change = Math.abs(offset(0) - offset(6));
  return change !== 0 && change !== HOUR_MS;
}
