import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Every test file fails on the timers, sockets and processes that it leaves behind. */
const failOnLeaks = fileURLToPath(
  new URL('./packages/testkit/src/leaks/setup.ts', import.meta.url),
);

/** One root runner; each package is a project with its own name and its own time limits. */
const project = (name: string, root: string) => ({
  extends: true as const,
  test: { name, root, include: ['{src,test}/**/*.test.ts'], setupFiles: [failOnLeaks] },
});

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
    projects: [
      project('lua-bundle', 'tools/lua-bundle'),
      project('local-redis', 'tools/local-redis'),
      project('walk', 'tools/walk'),
      project('import-rules', 'tools/import-rules'),
      project('generated', 'tools/generated'),
      project('demo', 'tools/demo'),
      project('test-command', 'tools/test'),
      project('transcript', 'tools/transcript'),
      project('conformance', 'tools/conformance'),
      project('proto', 'proto'),
      project('core', 'packages/core'),
      project('testkit', 'packages/testkit'),
      project('engine', 'packages/engine'),
      project('sdk', 'packages/sdk'),
      project('gateway', 'apps/gateway'),
      project('sample-worker', 'apps/sample-worker'),
      project('compat', 'packages/compat'),
    ],
  },
});
