import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { projects } from './vitest.projects.js';

export default defineConfig({
  esbuild: { target: 'es2022' },
  test: {
    pool: 'forks',
    // Most of a test's time is spent waiting for servers: on two cores one worker (the default) is too few.
    maxWorkers: Math.max(3, availableParallelism()),
    // On a machine of CI that others load a test may miss a time limit once; the report names what needed two tries.
    retry: process.env.CI ? 1 : 0,
    // What is waited for comes in the background; the bounds that a test names are its own.
    expect: { poll: { timeout: 5_000 } },
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    projects: projects('test'),
  },
});
