/** One name, one file per layer: run with `pnpm check:walk`. */
export { missingStops, run } from './main.js';
