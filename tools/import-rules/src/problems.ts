/** A place that breaks a rule. */
export interface Problem {
  /** From the root, with `/`. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** `file:line: message`, as editors and terminals make links of. */
export function formatProblem({ path, line, message }: Problem): string {
  return `${path}:${line}: ${message}`;
}

/** By path, then line. */
export function sorted(problems: readonly Problem[]): readonly Problem[] {
  const order = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return [...problems].sort((a, b) => order(a.path, b.path) || a.line - b.line);
}
