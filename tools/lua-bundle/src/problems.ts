/** One reason for which the bundler refuses the sources. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Collects problems; the same one reached by several ways is kept once. */
export class Problems {
  readonly #found = new Map<string, Problem>();

  add(file: string, line: number, message: string): void {
    this.#found.set(`${file}:${line}: ${message}`, { file, line, message });
  }

  /** All problems in the order of file and line. */
  list(): readonly Problem[] {
    return [...this.#found.values()].sort(
      (a, b) => compare(a.file, b.file) || a.line - b.line || compare(a.message, b.message),
    );
  }
}

/** Orders by code unit, the same on every machine, unlike localeCompare. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `lua/lib/x.lua:3: message` */
export function formatProblem({ file, line, message }: Problem): string {
  return `${file}:${line}: ${message}`;
}
