/** The rules of docs/architecture.md that a machine can see: run with `pnpm check:imports`. */
export { findProblems, run } from './main.js';
export type { Problem } from './problems.js';
