import { expect, test } from 'vitest';
import { problemsWith, sound } from './planted.js';

test('the main entry of the SDK reaches no engine', () => {
  const path = 'packages/sdk/src/queue.ts';
  expect(problemsWith({ [path]: "import type { Engine } from '@echomq/engine';\n" })).toEqual([
    `${path}:1: imports @echomq/engine, and packages/sdk/src/index.ts comes here`,
  ]);
});

test('the embedded entry of the SDK reaches no gRPC, by however many steps', () => {
  const files = {
    'packages/sdk/src/queue.ts': "import { far } from './far.js';\n",
    'packages/sdk/src/far.ts':
      "import { services } from '@echomq/proto/services';\nimport { c } from './connect.js';\n",
  };
  expect(problemsWith(files)).toEqual([
    'packages/sdk/src/connect.ts:1: imports @grpc/grpc-js, and packages/sdk/src/embedded/index.ts comes here',
    'packages/sdk/src/far.ts:1: imports @echomq/proto/services, and packages/sdk/src/embedded/index.ts comes here',
  ]);
});

test('an entry may take types from where it may load nothing', () => {
  const path = 'packages/sdk/src/embedded/planted.ts';
  const problems = (statement: string) =>
    problemsWith({
      [path]: statement,
      'packages/sdk/src/embedded/index.ts': "import './planted.js';\n",
    });
  expect(problems("import type { Store } from '@echomq/core';")).toEqual([]);
  expect(problems("export type * from '@echomq/proto/services';")).toEqual([]);
  for (const loads of [
    "import { type Store } from '@echomq/core';",
    "import type from '@echomq/core';",
    "let store: import('@echomq/core').Store;",
    "export { type Store } from '@echomq/core';",
  ]) {
    expect(problems(loads)).toEqual([
      `${path}:1: imports @echomq/core, and packages/sdk/src/embedded/index.ts comes here`,
    ]);
  }
});

test('the main entry of the core reaches no Redis client', () => {
  const index = 'packages/core/src/index.ts';
  const text = `${sound(index)}export { connectRedis } from './ioredis/index.js';\n`;
  expect(problemsWith({ [index]: text })).toEqual([
    'packages/core/src/ioredis/index.ts:1: imports ioredis, and packages/core/src/index.ts comes here',
    'packages/core/src/ioredis/index.ts:2: imports node:timers/promises, and packages/core/src/index.ts comes here',
  ]);
});
