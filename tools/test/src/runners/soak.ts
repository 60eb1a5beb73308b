import type { Report, Runner } from '../runner.js';
import { runVitest } from './vitest.js';

/**
 * The short form of `pnpm soak`, for CI: the model of the store with all its transitions, and the whole system under
 * faults for half a minute. About three minutes on two cores.
 */
const FILES = ['model.soak', 'more-seeds.soak', 'show.soak'];

/** Runs it where nothing else runs beside it. */
export const soak: Runner = { name: 'soak', run };

function run(): Promise<Report> {
  const config = '--config=vitest.soak.config.ts';
  return runVitest([config, '--project=scenarios', ...FILES], {
    ECHOMQ_SOAK: 'short',
    ECHOMQ_SOAK_MS: '30000',
    // The same in each run: what CI finds is of the change that it looks at. Other seeds are for `pnpm soak`.
    ECHOMQ_SEED: '1',
  });
}
