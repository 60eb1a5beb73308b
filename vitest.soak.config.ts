import { defineConfig } from 'vitest/config';
import { projects } from './vitest.projects.js';

/** Minutes instead of seconds where `ECHOMQ_SOAK=long` says so. */
const LONGEST_MS = process.env.ECHOMQ_SOAK === 'long' ? 7_200_000 : 600_000;

/**
 * `pnpm soak`: what takes too long for `pnpm test`, one file at a time so that nothing else disturbs it. In the short form
 * of CI two at a time.
 */
export default defineConfig({
  esbuild: { target: 'es2022' },
  test: {
    pool: 'forks',
    maxWorkers: process.env.ECHOMQ_SOAK === 'short' ? 2 : 1,
    retry: 0,
    expect: { poll: { timeout: 5_000 } },
    testTimeout: LONGEST_MS,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    projects: projects('soak'),
  },
});
