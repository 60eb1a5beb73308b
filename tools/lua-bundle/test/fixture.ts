import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { generate } from '../src/generate.js';
import { formatProblem } from '../src/problems.js';

/** Sources that every rule accepts: three libs, two transitions, a query. */
export const GOOD: Readonly<Record<string, string>> = {
  'lua/lib/reject.lua': `--- The rejections.
local REJECT = {
  JOB_NOT_FOUND = -1, -- no such job
  LOCK_LOST = -2,
}
`,
  'lua/lib/keys.lua': `--- Derived keys.

--- The lock of a job.
local function lockKey(job)
  return job .. ':lock'
end
`,
  'lua/lib/lock.lua': `--- Ownership.
-- @include keys reject

local function lockRejection(job, token)
  local owner = redis.call('GET', lockKey(job))

  if owner ~= token then
    return REJECT.LOCK_LOST
  end
  return nil
end
`,
  'lua/transitions/takeJob-3.lua': `--- Takes a job off the list. Its lock must fit.
-- @include lock keys
-- @rejects LOCK_LOST
-- @returns the id

local queue = {
  wait = KEYS[1], -- list
  active = KEYS[2], -- list
}
local job = KEYS[3] -- hash

local jobId = ARGV[1] -- string
local now = ARGV[2] -- ms ('' asks Redis)
local options = cmsgpack.unpack(ARGV[3]) -- pack { token: string; limiter?: { max: number } }
local ids = {unpack(ARGV, 4)} -- strings... more ids
-- end of declarations

local rejection = lockRejection(job, options.token)
if rejection then
  return rejection
end

redis.call('DEL', lockKey(job))
redis.call('LREM', queue.active, 1, jobId)
for _, id in ipairs(ids) do
  redis.call('LPUSH', queue.wait, id)
end
redis.call('ZADD', queue.wait .. ':due', tonumber(now) * 4096, 'at:' .. jobId)
return jobId
`,
  'lua/transitions/dropJob-1.lua': `--- Drops a job.
-- @include reject lock
-- @rejects JOB_NOT_FOUND LOCK_LOST

local job = KEYS[1] -- hash
local token = ARGV[1] -- string
local force = ARGV[2] == '1' -- flag
-- end of declarations

if redis.call('EXISTS', job) == 0 then
  return REJECT.JOB_NOT_FOUND
end
local rejection = not force and lockRejection(job, token)
if rejection == REJECT.LOCK_LOST then
  return rejection
end
redis.call('DEL', job)
return 1
`,
  'lua/queries/getLock-1.lua': `--- The owner of a job, or false.
-- @include keys

local job = KEYS[1] -- hash
-- end of declarations

return redis.call('GET', lockKey(job))
`,
};

/** A root in a temporary folder with these files; undefined leaves one out. */
export function makeRoot(files: Readonly<Record<string, string | undefined>>): string {
  const root = mkdtempSync(join(tmpdir(), 'lua-bundle-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['lib', 'transitions', 'queries']) {
    mkdirSync(join(root, 'lua', folder), { recursive: true });
  }
  for (const [path, text] of Object.entries(files)) {
    if (text === undefined) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** The good sources with one text replaced by another. Fails if the text is not there. */
export function edited(path: string, from: string, to: string): Record<string, string> {
  const text = GOOD[path];
  if (!text?.includes(from)) throw new Error(`${path} does not contain ${from}`);
  return { ...GOOD, [path]: text.replace(from, () => to) };
}

/** What the bundler says of these files, one line per problem. */
export function problemsOf(files: Readonly<Record<string, string | undefined>>): string[] {
  return generate(makeRoot(files)).problems.map(formatProblem);
}
