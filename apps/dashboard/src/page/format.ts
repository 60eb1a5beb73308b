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

/** Deeper JSON would be all indents. */
const MAX_DEPTH = 64;

/**
 * JSON with indents; what is no JSON, or very deep, as it is. The text itself is taken apart, since a value that was parsed
 * has lost the digits of large numbers, and keys that stand twice.
 */
export function pretty(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  const lines: string[] = [];
  let depth = 0;
  const next = () => lines.push(`\n${'  '.repeat(depth)}`);
  for (const [at, token] of tokens.entries()) {
    const empty = '}]'.includes(token) && '{['.includes(tokens[at - 1] ?? ' ');
    if ('}]'.includes(token)) {
      depth -= 1;
      if (!empty) next();
    }
    lines.push(token === ':' ? ': ' : token);
    if ('{['.includes(token)) depth += 1;
    if (depth > MAX_DEPTH) return text;
    const opened = '{['.includes(token) && !'}]'.includes(tokens[at + 1] ?? ' ');
    if (token === ',' || opened) next();
  }
  return lines.join('');
}

/** A name or an id with what would turn or hide letters written out, as in `gnp.\u202eexe`. */
export function visible(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is written out
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The word for a state. */
export function stateWord(state: string): string {
  return state === 'waiting-children' ? 'waiting for children' : state;
}
