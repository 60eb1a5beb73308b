import { expect, test } from 'vitest';
import { problemsWith } from './planted.js';

const ENVIRONMENT = 'reads the environment: that is for apps, which pass on what they read';
const TIMER = 'starts a timer: the core has none, what comes later is the engine’s';
const LOG = 'logs: the core throws or returns what there is to say';

test.each([
  ['packages/core/src/planted.ts', 'const x = process.env.HOME;', ENVIRONMENT],
  ['packages/engine/src/planted.ts', "const x = process['env'];", ENVIRONMENT],
  ['packages/engine/src/planted.ts', 'const { env } = globalThis.process?.env;', ENVIRONMENT],
  ['packages/engine/src/planted.ts', "import { env } from 'node:process';", ENVIRONMENT],
  ['packages/core/src/planted.ts', 'setTimeout(run, 1);', TIMER],
  ['packages/core/src/planted.ts', 'globalThis.setInterval(run, 1);', TIMER],
  ['packages/core/src/planted.ts', 'const x = `${setImmediate(run)}`;', TIMER],
  ['packages/core/src/planted.ts', 'const x = AbortSignal.timeout(5);', TIMER],
  ['packages/core/src/planted.ts', "import { setTimeout as sleep } from 'timers/promises';", TIMER],
  ['packages/core/src/planted.ts', 'console.log(1);', LOG],
  ['packages/core/src/ioredis/planted.ts', "import { log } from 'node:console';", LOG],
])('what needs no import: %s has %s', (path, statement, message) => {
  expect(problemsWith({ [path]: `\n${statement}\n` })).toEqual([`${path}:2: ${message}`]);
});

test('members that share a banned name are something else', () => {
  const text = 'clock.setTimeout(run, 1);\nconst x = { console: 1 };\nchild.process.environment;\n';
  expect(problemsWith({ 'packages/core/src/planted.ts': text })).toEqual([]);
});

test.each(['utils', 'common', 'helpers', 'types', 'interfaces'])('a folder named %s', (name) => {
  const folder = `packages/engine/src/leases/${name}`;
  expect(problemsWith({ [`${folder}/planted.ts`]: '' })).toEqual([
    `${folder}:1: a folder is named after what it holds`,
  ]);
});

test.each(['packages/engine/src/long.ts', 'lua/lib/long.lua', 'proto/echomq/v1/long.proto'])(
  'a file over 300 lines: %s',
  (path) => {
    expect(problemsWith({ [path]: '\n'.repeat(300) })).toEqual([]);
    expect(problemsWith({ [path]: '\n'.repeat(301) })).toEqual([
      `${path}:301: 301 lines: 300 at most`,
    ]);
  },
);

test('generated files are as long as they are', () => {
  expect(problemsWith({ 'proto/gen/long.ts': '\n'.repeat(301) })).toEqual([]);
});

test('a file on the list of long files that is short', () => {
  const path = 'proto/echomq/v1/queue.proto';
  expect(problemsWith({ [path]: '\n' })).toEqual([
    `${path}:1: is on the list of long files and is not long`,
  ]);
  expect(problemsWith({ [path]: '\n'.repeat(301) })).toEqual([]);
});

const ONLY = 'spelt out in lua/lib/fields.lua and packages/core/src/job-fields.ts only';

test.each([
  ['lua/lib/planted.lua', "redis.call('HINCRBY', job, 'atm', 1) -- ats", 'atm'],
  ['lua/transitions/planted-1.lua', "local x = policy['fpof']", 'fpof'],
  ['lua/queries/planted-1.lua', 'local x = options.kl', 'kl'],
  ['packages/core/src/planted.ts', "const x = hash.get('deid'); // rjk", 'deid'],
  ['packages/engine/src/planted.ts', 'const x = { rjk: 1 };', 'rjk'],
  ['apps/gateway/src/planted.ts', "const x = ['pb'];", 'pb'],
])('a short name of BullMQ: %s has %s', (path, statement, name) => {
  expect(problemsWith({ [path]: `\n${statement}\n` })).toEqual([
    `${path}:2: ${name} is BullMQ's short name: ${ONLY}`,
  ]);
});

test('a variable, a key and a test may have what looks like a short name', () => {
  expect(
    problemsWith({
      'packages/engine/src/planted.ts': 'const pb = `${base}de:${id}`;\n',
      'packages/engine/src/planted.test.ts': "expect(hash).toEqual({ atm: '1', pb: 'w' });\n",
      'lua/lib/planted.lua': "local key = prefix .. 'de:' .. id\n",
    }),
  ).toEqual([]);
});
