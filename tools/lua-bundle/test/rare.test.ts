import { expect, test } from 'vitest';
import { generate } from '../src/generate.js';
import { edited, GOOD, makeRoot, problemsOf } from './fixture.js';

const SCRIPT = 'lua/transitions/dropJob-1.lua';
const DIST = 'lua/dist/dropJob-1.lua';
const QUERY = 'lua/queries/getLock-1.lua';
const LOGS_KEY =
  "local function logsKey(job)\n  return job .. ':logs'\nend\n\n--- The lock of a job.";

/** The bundle of dropJob with that tag below its `@include`. */
function bundleWith(tag: string): string {
  const sources = { ...GOOD, ...edited(SCRIPT, '-- @rejects', `${tag}\n-- @rejects`) };
  return generate(makeRoot(sources)).files.get(DIST) ?? '';
}

test('what an ordinary run does not call is made when it is called', () => {
  const [before = '', after = ''] =
    bundleWith('-- @usual lockRejection').split('setmetatable(RARE, {');
  expect(before).toContain('local RARE = {}');
  expect(before).toContain('local function lockRejection');
  expect(before).toContain("redis.call('GET', RARE.lockKey(job))");
  expect(before).not.toContain('function RARE.lockKey');
  expect(after).toContain('function RARE.lockKey(job)');
});

test('without the tag, or where all is usual, nothing is put off', () => {
  expect(generate(makeRoot(GOOD)).files.get(DIST)).not.toContain('RARE');
  expect(bundleWith('-- @usual lockRejection lockKey')).not.toContain('RARE');
});

test('a definition that a script does not come to is left out', () => {
  const sources = {
    ...edited('lua/lib/keys.lua', '--- The lock of a job.', LOGS_KEY),
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
