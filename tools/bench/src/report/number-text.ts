/** A figure for people: three digits that count, thousands set apart. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1_000) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3).replace(/\.0+$/, '');
}
