import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { findProblems } from '../src/main.js';
import { formatProblem } from '../src/problems.js';

const manifest = (name: string, dependencies: Record<string, string> = {}, more = {}) =>
  JSON.stringify({
    name: `@echomq/${name}`,
    exports: { '.': './build/index.js' },
    dependencies,
    ...more,
  });

const entries = (...names: string[]) => ({
  exports: Object.fromEntries(names.map((name) => [name, './build/x.js'])),
});

/** A small repository that keeps every rule. */
const SOUND: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ devDependencies: { vitest: '*' } }),
  'docs/dependencies.md': ['vitest', '@grpc/grpc-js', 'ioredis', '@bufbuild/protobuf']
    .map((name) => `| \`${name}\` | here | a reason |\n`)
    .join(''),
  'lua/package.json': manifest('lua'),
  'lua/gen/scripts.ts': "export * from './script.js';\n",
  'lua/lib/fields.lua': "local FIELD = { attemptsMade = 'atm' }\n",
  'lua/transitions/pause-3.lua':
    "--- Says atm in a comment.\nredis.call('HGET', KEYS[1], 'paused')\n",
  'proto/package.json': manifest(
    'proto',
    { '@grpc/grpc-js': '*' },
    entries('./messages', './services', './descriptors'),
  ),
  'proto/gen/echomq/v1/worker_service.ts': "import { Client } from '@grpc/grpc-js';\n",
  'packages/core/package.json': manifest(
    'core',
    { '@echomq/lua': '*', ioredis: '*' },
    { ...entries('.', './ioredis'), devDependencies: { '@echomq/testkit': '*' } },
  ),
  'packages/core/src/index.ts': "export { Store } from './store.js';\n",
  'packages/core/src/store.ts':
    "import type { Script } from '@echomq/lua';\n// console.log(process.env)\n",
  'packages/core/src/job-fields.ts': "const FIELDS = { attemptsMade: 'atm', processedBy: 'pb' };\n",
  'packages/core/src/ioredis/index.ts':
    "import { Redis } from 'ioredis';\nimport { setTimeout } from 'node:timers/promises';\nimport { Store } from '../store.js';\n",
  'packages/core/src/store.test.ts':
    "import { test } from 'vitest';\nimport { seed } from '@echomq/testkit';\nconst atm = 'atm';\n",
  'packages/engine/package.json': manifest('engine', {
    '@echomq/core': '*',
    '@echomq/proto': '*',
    '@bufbuild/protobuf': '*',
  }),
  'packages/engine/src/index.ts':
    "import type * as pb from '@echomq/proto/messages';\nimport { Store } from '@echomq/core';\nsetTimeout(() => pb, 1);\n",
  'packages/sdk/package.json': manifest(
    'sdk',
    { '@echomq/proto': '*', '@grpc/grpc-js': '*' },
    {
      ...entries('.', './embedded'),
      peerDependencies: { '@echomq/engine': '*', '@echomq/core': '*' },
    },
  ),
  'packages/sdk/src/index.ts':
    "export { Queue } from './queue.js';\nexport { connect } from './connect.js';\n",
  'packages/sdk/src/queue.ts': "import type { Job } from '@echomq/proto/messages';\n",
  'packages/sdk/src/connect.ts': "import { credentials } from '@grpc/grpc-js';\n",
  'packages/sdk/src/embedded/index.ts':
    "import { Engine } from '@echomq/engine';\nimport { connectRedis } from '@echomq/core/ioredis';\nimport { Queue } from '../queue.js';\n",
  'packages/testkit/package.json': manifest('testkit', { ioredis: '*', vitest: '*' }),
  'packages/testkit/src/index.ts': "import { Redis } from 'ioredis';\nexport const atm = 'atm';\n",
  'packages/scenarios/package.json': manifest('scenarios', { '@echomq/gateway': '*' }),
  'packages/scenarios/src/index.ts': "import { startGateway } from '@echomq/gateway';\n",
  'apps/gateway/package.json': manifest('gateway', {
    '@echomq/engine': '*',
    '@echomq/core': '*',
    '@echomq/proto': '*',
    '@grpc/grpc-js': '*',
  }),
  'apps/gateway/src/main.ts':
    "import { Server } from '@grpc/grpc-js';\nimport { WorkerServiceService } from '@echomq/proto/services';\nconst env = process.env;\n",
  'apps/sample-worker/package.json': manifest('sample-worker', { '@echomq/sdk': '*' }),
  'apps/sample-worker/src/main.ts': "import { Worker } from '@echomq/sdk';\n",
  'tools/build-first.mjs': "import { join } from 'node:path';\n",
  'tools/demo/package.json': manifest('demo', { '@echomq/sdk': '*' }),
  'tools/demo/bin/demo.mjs':
    "import { buildFirst } from '../../build-first.mjs';\nawait import('../build/main.js');\n",
};

const roots: string[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** What the rules say of the sound repository with some files replaced or added. */
export function problemsWith(files: Readonly<Record<string, string>>): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'echomq-import-rules-'));
  roots.push(root);
  for (const [path, text] of Object.entries({ ...SOUND, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return findProblems(root).map(formatProblem);
}

/** A file of the sound repository, to be changed. */
export function sound(path: string): string {
  return SOUND[path] ?? '';
}
