import { InvalidArgumentError } from 'commander';

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A span of at least so many ms. */
export function durationFrom(leastMs: number): (text: string) => number {
  return (text) => {
    const ms = duration(text);
    if (ms < leastMs) throw new InvalidArgumentError(`At least ${leastMs} ms.`);
    return ms;
  };
}

/** A span as people write it, in ms: `250` (ms), `10s`, `1.5h`, `7d`. */
export function duration(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/.exec(text.trim()) ?? [];
  const length = UNITS[unit];
  if (number === '' || length === undefined) {
    throw new InvalidArgumentError('A span is a number with ms, s, m, h or d: 250, 10s, 1.5h, 7d.');
  }
  return Math.round(Number(number) * length);
}
