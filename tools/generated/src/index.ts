/** Compares committed generated code with a fresh run: run with `pnpm check:generated`. */
export { run } from './main.js';
