import { expect, test } from 'vitest';
import { problemsWith, sound } from './planted.js';

test('a sound repository breaks no rule', () => {
  expect(problemsWith({})).toEqual([]);
});

const CORE = 'packages/core/src/planted.ts';
const ENGINE = 'packages/engine/src/planted.ts';
const SDK = 'packages/sdk/src/planted.ts';
const WORKER = 'apps/sample-worker/src/planted.ts';
const GATEWAY = 'apps/gateway/src/planted.ts';
const SCENARIOS = 'packages/scenarios/src/planted.ts';

test.each([
  ['lua', 'lua/gen/planted.ts', '@echomq/core'],
  ['proto', 'proto/src/planted.ts', '@echomq/core'],
  ['packages/core', CORE, '@echomq/proto/messages'],
  ['packages/core', CORE, '@echomq/engine'],
  ['packages/core', CORE, '@echomq/testkit'],
  ['packages/engine', ENGINE, '@echomq/lua'],
  ['packages/engine', ENGINE, '@echomq/proto/services'],
  ['packages/engine', ENGINE, '@echomq/core/ioredis'],
  ['packages/engine', ENGINE, '@echomq/sdk'],
  ['packages/sdk', SDK, '@echomq/lua'],
  ['packages/sdk', SDK, '@echomq/testkit'],
  ['apps/gateway', GATEWAY, '@echomq/lua'],
  ['apps/gateway', GATEWAY, '@echomq/sdk'],
  ['apps/sample-worker', WORKER, '@echomq/core'],
  ['apps/sample-worker', WORKER, '@echomq/engine'],
  ['apps/sample-worker', WORKER, '@echomq/proto/messages'],
  ['packages/scenarios', SCENARIOS, '@echomq/lua'],
  ['packages/engine', ENGINE, '@echomq/scenarios'],
  ['tools/demo', 'tools/demo/src/planted.ts', '@echomq/lua'],
])('%s may not import: %s imports %s', (folder, path, specifier) => {
  expect(problemsWith({ [path]: `\nimport type { X } from '${specifier}';\n` })).toEqual([
    `${path}:2: ${folder} may not import ${specifier}: see tools/import-rules/src/table.ts`,
  ]);
});

test.each([
  ['a type import', "import type { X } from '@echomq/engine';"],
  ['an import for its effect', "import '@echomq/engine';"],
  ['a dynamic import', "const x = await import('@echomq/engine');"],
  ['a dynamic import by template', 'const x = await import(`@echomq/engine`);'],
  ['an imported type', "let x: import('@echomq/engine').Engine;"],
  ['a re-export', "export { Engine } from '@echomq/engine';"],
  ['a re-exported type', "export type { Engine } from '@echomq/engine';"],
  ['a whole re-export', "export * as engine from '@echomq/engine';"],
  ['an import assignment', "import engine = require('@echomq/engine');"],
  ['a require', "const x = require('@echomq/engine');"],
  ['a resolved path', "const x = import.meta.resolve('@echomq/engine');"],
  [
    'an import behind a regular expression',
    "const x = /[`'/]/; import { e } from '@echomq/engine';",
  ],
  ['an import behind a template', "const x = `a${`b${1}'`}'`; import { e } from '@echomq/engine';"],
])('%s counts as an import', (_, statement) => {
  expect(problemsWith({ [CORE]: statement })).toEqual([
    `${CORE}:1: packages/core may not import @echomq/engine: see tools/import-rules/src/table.ts`,
  ]);
});

test.each([
  ['in a comment', "// import '@echomq/engine';\n/* import '@echomq/engine'; */"],
  ['in a string', 'const x = "import \'@echomq/engine\'";'],
  ['in a template', "const x = `import '@echomq/engine'`;"],
  ['as a member', "loader.import('@echomq/engine');"],
])('what only looks like an import is none: %s', (_, statement) => {
  expect(problemsWith({ [CORE]: statement })).toEqual([]);
});

test('a test may use the testkit and what is declared for tests, and no more than that', () => {
  const path = 'packages/core/test/planted.test.ts';
  expect(problemsWith({ [path]: "import '@echomq/testkit';\nimport '@echomq/engine';\n" })).toEqual(
    [
      `${path}:2: packages/core may not import @echomq/engine, not even in a test: see tools/import-rules/src/table.ts`,
    ],
  );
});

test('an import that is computed cannot be checked', () => {
  expect(problemsWith({ [ENGINE]: 'await import(`@echomq/${name}`);' })).toEqual([
    `${ENGINE}:1: imports what is computed: nobody can check that`,
  ]);
});

test.each([
  ['packages/engine/src/planted.ts', '@echomq/core/build/store.js'],
  ['packages/sdk/src/planted.ts', '@echomq/proto'],
])('an entry that is not exported: %s imports %s', (path, specifier) => {
  expect(problemsWith({ [path]: `import '${specifier}';` })).toEqual([
    expect.stringContaining(`${path}:1: imports ${specifier}: @echomq/`),
  ]);
});

test.each([
  [ENGINE, '../../core/src/store.js', 'packages/core/src/store.js'],
  [CORE, '../../../lua/gen/scripts.js', 'lua/gen/scripts.js'],
  ['tools/demo/src/planted.ts', '../../build-first.mjs', 'tools/build-first.mjs'],
  [
    CORE,
    '../node_modules/ioredis/built/index.js',
    'packages/core/node_modules/ioredis/built/index.js',
  ],
])('a path out of the package: %s imports %s', (path, specifier, target) => {
  expect(problemsWith({ [path]: `import '${specifier}';` })).toEqual([
    `${path}:1: reaches out of its package to ${target}: import the package by its name`,
  ]);
});

test.each([
  [ENGINE, '@grpc/grpc-js'],
  ['proto/src/planted.ts', '@grpc/grpc-js'],
  ['proto/gen/echomq/v1/worker.ts', '@grpc/grpc-js'],
  [ENGINE, 'ioredis'],
  [CORE, 'ioredis'],
  [GATEWAY, 'ioredis'],
  [SDK, 'bullmq'],
])('an external in the wrong place: %s imports %s', (path, name) => {
  expect(problemsWith({ [path]: `import '${name}';` })).toEqual([
    `${path}:1: ${name} belongs in other places: see EXTERNALS in tools/import-rules/src/table.ts`,
  ]);
});

test('an external is declared by the package that uses it', () => {
  expect(problemsWith({ [ENGINE]: "import 'left-pad';\nimport 'vitest';\n" })).toEqual([
    `${ENGINE}:1: left-pad is not declared in packages/engine/package.json`,
    `${ENGINE}:2: vitest is there for tests only: packages/engine/package.json has it in no dependencies`,
  ]);
});

test('a package without a line in the table', () => {
  expect(problemsWith({ 'packages/new/package.json': '{ "name": "@echomq/new" }' })).toEqual([
    'packages/new/package.json:1: has no line in tools/import-rules/src/table.ts',
  ]);
});

test('a package.json that declares what may not be imported', () => {
  const manifest = '{ "name": "@echomq/sample-worker", "dependencies": { "@echomq/core": "*" } }';
  expect(problemsWith({ 'apps/sample-worker/package.json': manifest })).toContain(
    'apps/sample-worker/package.json:1: depends on @echomq/core, which it may not import',
  );
});

test('a dependency without a line that says why', () => {
  const manifest = '{ "name": "@echomq/lua", "devDependencies": { "left-pad": "*" } }';
  expect(problemsWith({ 'lua/package.json': manifest })).toEqual([
    'lua/package.json:1: left-pad has no line in docs/dependencies.md',
  ]);
});

test('a line for a dependency that nothing declares', () => {
  const doc = `${sound('docs/dependencies.md')}| \`left-pad\` | lua | pads |\n`;
  expect(problemsWith({ 'docs/dependencies.md': doc })).toEqual([
    'docs/dependencies.md:5: nothing declares left-pad',
  ]);
});
