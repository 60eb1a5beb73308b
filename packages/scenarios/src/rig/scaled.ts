const WRITTEN = Symbol.for('echomq.scenarios.asWritten');
type Marked = { [WRITTEN]?: boolean };

/**
 * The numbers of a scenario: scaled down in `pnpm test`, as it is written in the soak. A soak file begins with an import
 * of `as-written.js` and then imports the quick file.
 */
export function scaled<T>(quick: T, asWritten: T): T {
  return (globalThis as Marked)[WRITTEN] ? asWritten : quick;
}

/** From now on {@link scaled} gives the numbers as they are written. For `as-written.ts`. */
export function takeAsWritten(): void {
  (globalThis as Marked)[WRITTEN] = true;
}
