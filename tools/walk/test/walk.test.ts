import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { missingStops } from '../src/main.js';

const TEST =
  "import { refusals } from '../../test/refusals.js';\nit('rejects JOB_NOT_IN_STATE', () => {});\n";

/** A repository with one transition, one query and three RPCs, all stops there. */
const WHOLE: Readonly<Record<string, string>> = {
  'lua/transitions/promote-9.lua': '--- Makes ready.\n-- @rejects JOB_NOT_FOUND JOB_NOT_IN_STATE\n',
  'lua/queries/getState-8.lua': '--- Where.\n',
  'lua/dist/promote-9.lua': '',
  'lua/dist/getState-8.lua': '',
  'docs/transitions.md': '| `getState-8` | Where |\n| `promote-9` | Makes ready |\n',
  'docs/lifecycle.md': '| `promote` | the user |\n',
  'docs/compatibility-differences.md': '\n| promote | 5 | 5 |\n| getState | 8 | 8 |\n',
  'packages/core/src/index.ts':
    "export { promote } from './transitions/promote.js';\nexport { getState } from './queries/getState.js';\n",
  'packages/core/src/transitions/promote.ts': "import { promote as script } from '@echomq/lua';\n",
  'packages/core/src/transitions/promote.test.ts': TEST,
  'packages/core/test/refusals.ts': "it('JOB_NOT_FOUND: no hash', () => {});\n",
  'packages/core/src/queries/getState.ts': "import { getState as script } from '@echomq/lua';\n",
  'packages/core/src/queries/getState.test.ts': '',
  'packages/core/src/queries/getJob.ts': 'a plain command has no script\n',
  'proto/echomq/v1/queue_service.proto':
    'service QueueService {\n  // Promotes.\n  rpc PromoteJob(PromoteJobRequest) returns (PromoteJobResponse);\n  rpc GetFlow(GetFlowRequest) returns (GetFlowResponse);\n}\n',
  'proto/echomq/v1/event_service.proto':
    'service EventService {\n  rpc Subscribe(SubscribeRequest) returns (stream SubscribeResponse) {\n  }\n}\n',
  'packages/engine/src/services/queue/promoteJob.ts': '',
  'packages/engine/src/services/queue/queue-service.ts': "getFlow: unavailable('GetFlow'),\n",
  'packages/engine/src/services/event/event-service.ts':
    "subscribe: unavailableStream('Subscribe'),\n",
  'packages/engine/test/queue-service.test.ts': 'await services.queue.promoteJob(request);\n',
};

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

/** What the walk says of the whole repository with files replaced; `undefined` leaves one out. */
function missingWith(changes: Readonly<Record<string, string | undefined>>): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'echomq-walk-'));
  roots.push(root);
  for (const [path, text] of Object.entries({ ...WHOLE, ...changes })) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return missingStops(root);
}

test('a whole repository lacks nothing', () => {
  expect(missingWith({})).toEqual([]);
});

test.each([
  ['lua/dist/promote-9.lua', 'promote, the bundled script: pnpm generate'],
  ['lua/dist/getState-8.lua', 'getState, the bundled script: pnpm generate'],
  ['packages/core/src/transitions/promote.ts', 'promote, its binding in the core'],
  ['packages/core/src/transitions/promote.test.ts', 'promote, its whole-state test'],
  ['packages/core/src/queries/getState.ts', 'getState, its binding in the core'],
  ['packages/core/src/queries/getState.test.ts', 'getState, its test'],
  ['docs/lifecycle.md', 'promote, its row in the table of transitions'],
])('a planted omission: %s', (path, what) => {
  expect(missingWith({ [path]: undefined })).toEqual([`${path}: missing: ${what}`]);
});

test.each([
  ['docs/transitions.md', '| `getState-8` | Where |', 'promote', 'the row of promote-9'],
  ['docs/lifecycle.md', 'promote is a word here', 'promote', '`promote`'],
  [
    'docs/compatibility-differences.md',
    '\n| promote | 5 | 5 |\n',
    'getState',
    'the row of getState',
  ],
  [
    'packages/core/src/index.ts',
    "export { promote } from './transitions/promote.js';",
    'getState',
    'an export from ./queries/getState.js',
  ],
  [
    'packages/core/src/transitions/promote.ts',
    "import { pause as script } from '@echomq/lua';",
    'promote',
    'an import of promote from @echomq/lua',
  ],
  [
    'packages/core/test/refusals.ts',
    'nothing is tested here',
    'promote',
    'a case "rejects JOB_NOT_FOUND"',
  ],
])('a stop that says too little: %s', (path, text, name, lacking) => {
  const stop = path.includes('refusals') ? 'packages/core/src/transitions/promote.test.ts' : path;
  expect(missingWith({ [path]: text })).toEqual([
    expect.stringMatching(new RegExp(`^${stop}: ${name}, .*: lacks ${lacking}$`)),
  ]);
});

test('a transition whose script is gone', () => {
  const stray = 'packages/core/src/transitions/old.ts';
  const files = { [stray]: '', [stray.replace('.ts', '.test.ts')]: '' };
  expect(missingWith(files)).toEqual([`${stray}: no script of lua/transitions has this name`]);
});

test('an RPC without its file', () => {
  const path = 'packages/engine/src/services/queue/promoteJob.ts';
  expect(missingWith({ [path]: undefined })).toEqual([
    `${path}: missing: PromoteJob (proto/echomq/v1/queue_service.proto:3)`,
  ]);
});

test('an RPC without a test', () => {
  expect(missingWith({ 'packages/engine/test/queue-service.test.ts': '' })).toEqual([
    'packages/engine/src/services/queue/promoteJob.test.ts: missing: no test of the engine mentions PromoteJob',
  ]);
});

test('an RPC that is neither served nor declared unavailable', () => {
  expect(missingWith({ 'packages/engine/src/services/event/event-service.ts': '' })).toEqual([
    'packages/engine/src/services/event/subscribe.ts: missing: Subscribe (proto/echomq/v1/event_service.proto:2)',
  ]);
});

test('an RPC that is served and declared unavailable', () => {
  const file = 'packages/engine/src/services/queue/getFlow.ts';
  expect(missingWith({ [file]: '' })).toEqual([
    `packages/engine/src/services/queue/queue-service.ts: GetFlow is declared unavailable, and ${file} is there`,
  ]);
});

test('a name declared unavailable that the contract has not', () => {
  const path = 'packages/engine/src/services/event/event-service.ts';
  expect(missingWith({ [path]: `${WHOLE[path]}x: unavailable('GetFlaw'),` })).toEqual([
    `${path}: GetFlaw is no rpc of the contract`,
  ]);
});
