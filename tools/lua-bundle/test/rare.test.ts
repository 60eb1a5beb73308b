import { expect, test } from 'vitest';
import { generate } from '../src/generate.js';
import { edited, GOOD, makeRoot, problemsOf } from './fixture.js';

const SCRIPT = 'lua/transitions/dropJob-1.lua';
const DIST = 'lua/dist/dropJob-1.lua';
const QUERY = 'lua/queries/getLock-1.lua';
const LOCK_KEY = 'lua/lib/keys.lua';
const LOGS_KEY =
  "local function logsKey(job)\n  return string.format('%s:logs', job)\nend\n\n--- The lock of a job.";

/** The good sources with a `lockKey` that stays a function. */
const FORMATTED = edited(LOCK_KEY, "job .. ':lock'", "string.format('%s:lock', job)");

/** The bundle of dropJob with that tag below its `@include`. */
function bundleWith(tag: string, files: Readonly<Record<string, string>> = FORMATTED): string {
  const script = (files[SCRIPT] ?? '').replace('-- @rejects', `${tag}\n-- @rejects`);
  return generate(makeRoot({ ...files, [SCRIPT]: script })).files.get(DIST) ?? '';
}

/** Both parts of a bundle: what stands in front, and what is made when it is asked for. */
function partsWith(
  tag: string,
  files?: Readonly<Record<string, string>>,
): [front: string, rare: string] {
  const [front = '', after = ''] = bundleWith(tag, files).split('setmetatable(RARE, {');
  return [front, after.split('\nend })')[0] ?? ''];
}

test('what an ordinary run does not call is made when it is called', () => {
  const [front, rare] = partsWith('-- @usual lockRejection');
  expect(front).toContain('local RARE = {}');
  expect(front).toContain('local function lockRejection');
  expect(front).toContain("redis.call('GET', RARE.lockKey(job))");
  expect(front).not.toContain('function RARE.lockKey');
  expect(rare).toContain('function RARE.lockKey(job)');
});

test('without the tag, or where all is usual, nothing is put off', () => {
  expect(generate(makeRoot(FORMATTED)).files.get(DIST)).not.toContain('RARE');
  expect(bundleWith('-- @usual lockRejection lockKey')).not.toContain('RARE');
});

test('a usual name may be one whose text stands where it is called', () => {
  const bundle = bundleWith('-- @usual lockRejection lockKey', GOOD);
  expect(bundle).toContain("redis.call('GET', job .. ':lock')");
  expect(bundle).not.toContain('RARE');
});

/** A lib whose `lockKey` and `lockRejection` use tables: `both` both, `seldom` and what that is made of the key alone. */
const WITH_TABLES: Readonly<Record<string, string>> = {
  ...FORMATTED,
  [LOCK_KEY]: `--- Derived keys.

local both = {}

local parts = { 'lock' }

local seldom = { parts }

local function lockKey(job)
  both[job] = seldom
  return string.format('%s:lock', job)
end

local function known(job)
  return both[job]
end
`,
  'lua/lib/lock.lua': (GOOD['lua/lib/lock.lua'] ?? '').replace(
    'if owner',
    'if known(job) and owner',
  ),
};

test('what only those use that are made when called is made with them', () => {
  const [front, rare] = partsWith('-- @usual lockRejection known', WITH_TABLES);
  expect(front).toContain('local both = {}');
  expect(front).not.toContain('parts');
  expect(front).not.toContain('seldom');
  expect(rare).toContain(
    "local parts = { 'lock' }\nlocal seldom = { parts }\nfunction RARE.lockKey",
  );
});

test('what one of the usual functions uses stands in front', () => {
  const [front, rare] = partsWith('-- @usual lockRejection lockKey', WITH_TABLES);
  expect(front).toContain("local parts = { 'lock' }\nlocal seldom = { parts }");
  expect(rare).not.toContain('local');
  expect(rare).toContain('function RARE.known');
});

test('what the script itself uses stands in front', () => {
  const script = (WITH_TABLES[SCRIPT] ?? '').replace('return 1', 'return #seldom');
  const [front] = partsWith('-- @usual lockRejection known', { ...WITH_TABLES, [SCRIPT]: script });
  expect(front).toContain("local parts = { 'lock' }\nlocal seldom = { parts }");
});

test('a definition that a script does not come to is left out', () => {
  const formatted = (FORMATTED[LOCK_KEY] ?? '').replace('--- The lock of a job.', LOGS_KEY);
  const sources = {
    ...FORMATTED,
    [LOCK_KEY]: formatted,
    'lua/queries/getLock-1.lua': edited(QUERY, 'lockKey(job)', 'lockKey(logsKey(job))')[QUERY],
  };
  const { files } = generate(makeRoot(sources));
  expect(files.get('lua/dist/getLock-1.lua')).toContain('local function logsKey');
  expect(files.get(DIST)).toContain('local function lockKey');
  expect(files.get(DIST)).not.toContain('logsKey');
});

test('a usual function that the script does not reach is refused', () => {
  expect(problemsOf(edited(SCRIPT, '-- @rejects', '-- @usual lostRejection\n-- @rejects'))).toEqual(
    [expect.stringContaining('@usual names lostRejection: the script reaches no such function')],
  );
});
