const NUMBER = new Intl.NumberFormat('en');
const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

/** `12,345`. */
export const count = (value: number | undefined): string => NUMBER.format(value ?? 0);

/** A moment in full, in the zone of who looks. */
export const moment = (ms: number | undefined): string =>
  ms === undefined || Number.isNaN(ms) ? '' : MOMENT.format(ms);

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A span with its two largest units: `3 min 20 s`, `850 ms`. */
export function span(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return `${whole} ms`;
  if (whole < 10_000) return `${(whole / 1_000).toFixed(1)} s`;
  const at = UNITS.findIndex(([size]) => whole >= size);
  const [size, name] = UNITS[at] ?? [1_000, 's'];
  const [next, nextName] = UNITS[at + 1] ?? [0, ''];
  const rest = next === 0 ? 0 : Math.floor((whole % size) / next);
  return `${Math.floor(whole / size)} ${name}${rest > 0 ? ` ${rest} ${nextName}` : ''}`;
}

/** How far a moment is from now: `2 min ago`, `in 3 h`. One unit: it is read at a glance. */
export function ago(ms: number | undefined): string {
  if (ms === undefined) return '';
  const away = Date.now() - ms;
  const size = Math.abs(away);
  if (size < 1_500) return 'now';
  const [unit, name] = UNITS.find(([each]) => size >= each) ?? [1_000, 's'];
  const text = `${Math.floor(size / unit)} ${name}`;
  return away < 0 ? `in ${text}` : `${text} ago`;
}

/** Bytes as people say them. */
export function bytes(size: number): string {
  if (size < 1_024) return `${size} B`;
  if (size < 1_048_576) return `${(size / 1_024).toFixed(1)} KiB`;
  return `${(size / 1_048_576).toFixed(1)} MiB`;
}

/** JSON with indents; what is no JSON as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The word for a state. */
export function stateWord(state: string): string {
  return state === 'waiting-children' ? 'waiting for children' : state;
}
