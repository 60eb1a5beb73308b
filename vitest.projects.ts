import { fileURLToPath } from 'node:url';

/** Every test file fails on the timers, sockets and processes that it leaves behind. */
const failOnLeaks = fileURLToPath(
  new URL('./packages/testkit/src/leaks/setup.ts', import.meta.url),
);

/** The folders of the packages with tests, by the names of their projects. */
const FOLDERS: Readonly<Record<string, string>> = {
  'lua-bundle': 'tools/lua-bundle',
  'local-redis': 'tools/local-redis',
  walk: 'tools/walk',
  'import-rules': 'tools/import-rules',
  generated: 'tools/generated',
  demo: 'tools/demo',
  'test-command': 'tools/test',
  transcript: 'tools/transcript',
  docs: 'tools/docs',
  conformance: 'tools/conformance',
  languages: 'tools/languages',
  bench: 'tools/bench',
  proto: 'proto',
  core: 'packages/core',
  testkit: 'packages/testkit',
  engine: 'packages/engine',
  sdk: 'packages/sdk',
  gateway: 'apps/gateway',
  dashboard: 'apps/dashboard',
  'sample-worker': 'apps/sample-worker',
  cli: 'apps/cli',
  compat: 'packages/compat',
  scenarios: 'packages/scenarios',
};

/**
 * Many small files over the same modules: those of one worker share them, for loading them anew for each file costs more
 * than the tests themselves. Elsewhere each file has modules of its own.
 */
const SHARED: ReadonlySet<string> = new Set([
  ...['core', 'testkit', 'engine', 'sdk', 'gateway', 'compat', 'scenarios'],
]);

/** One root runner; each package is a project with its own name. Soak tests have a run of their own. */
export function projects(kind: 'test' | 'soak') {
  return Object.entries(FOLDERS).map(([name, root]) => ({
    extends: true as const,
    test: {
      name,
      root,
      isolate: kind === 'soak' || !SHARED.has(name),
      include: [kind === 'soak' ? '{src,test}/**/*.soak.test.ts' : '{src,test}/**/*.test.ts'],
      exclude: ['**/node_modules/**', ...(kind === 'soak' ? [] : ['**/*.soak.test.ts'])],
      setupFiles: [failOnLeaks],
    },
  }));
}
