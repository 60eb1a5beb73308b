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

test('the main entry of the core reaches no Redis client', () => {
  const index = 'packages/core/src/index.ts';
  const text = `${sound(index)}export { connectRedis } from './ioredis/index.js';\n`;
  expect(problemsWith({ [index]: text })).toEqual([
    'packages/core/src/ioredis/index.ts:1: imports ioredis, and packages/core/src/index.ts comes here',
    'packages/core/src/ioredis/index.ts:2: imports node:timers/promises, and packages/core/src/index.ts comes here',
  ]);
});
