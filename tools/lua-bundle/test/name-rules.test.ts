import { describe, expect, test } from 'vitest';
import { GOOD, problemsOf } from './fixture.js';
import { refuses } from './plants.js';

const TAKE = 'lua/transitions/takeJob-3.lua';
const DROP = 'lua/transitions/dropJob-1.lua';
const LOCK = 'lua/lib/lock.lua';
const REJECT = 'lua/lib/reject.lua';

test('accepts sources without a fault', () => expect(problemsOf(GOOD)).toEqual([]));

describe('names', () => {
  const noFunction = (line: number) => `${DROP}:${line}: no function in the declaration block`;
  refuses([
    ['an unknown global', DROP, 'not force', 'not os', [`${DROP}:13: unknown global os`]],
    ['print', DROP, 'return 1', 'print(1)\nreturn 1', [`${DROP}:18: unknown global print`]],
    [
      'assignment to a global',
      DROP,
      "redis.call('DEL', job)",
      'left = 1',
      [`${DROP}:17: assigns to left, which is no local of this file`],
    ],
    [
      'assignment to an allowed global',
      DROP,
      "redis.call('DEL', job)",
      'unpack = table.unpack',
      [`${DROP}:17: assigns to unpack, which is no local of this file`],
    ],
    [
      'a global function',
      DROP,
      'return 1',
      'function helper() end\nreturn 1',
      [`${DROP}:18: assigns to helper, which is no local of this file`],
    ],
    [
      'a local used outside its block',
      DROP,
      'return 1',
      'do local inner = 1 end\nreturn inner',
      [`${DROP}:19: unknown global inner`],
    ],
    [
      'a function in the block',
      DROP,
      "ARGV[2] == '1'",
      '(function() return ARGV[2] end)()',
      [noFunction(7)],
    ],
    [
      'more than four parameters',
      LOCK,
      '(job, token)',
      '(job, token, a, b, c)',
      [`${LOCK}:4: a function takes 5 parameters, at most 4 are allowed`],
    ],
    [
      'redis.call under another name',
      DROP,
      'return 1',
      'local call = redis.call\nreturn call',
      [`${DROP}:18: redis.call under another name escapes the checks: call it in place`],
    ],
    [
      'redis itself under another name',
      DROP,
      'return 1',
      "local store = redis\nreturn store.call('GET', job)",
      [`${DROP}:18: redis.call under another name escapes the checks: call it in place`],
    ],
    [
      'redis.call by a computed name',
      DROP,
      'return 1',
      "return redis['call']('GET', job)",
      [`${DROP}:18: redis.call under another name escapes the checks: call it in place`],
    ],
    [
      'a function inside a lib that nothing uses',
      LOCK,
      'return nil',
      'local inner = function() end\n  return nil',
      [`${LOCK}:10: the function inner is never used`],
    ],
    [
      'a local function that nothing uses',
      DROP,
      'return 1',
      'local function left() end\nreturn 1',
      [`${DROP}:18: the function left is never used`],
    ],
  ]);
});

describe('rejections', () => {
  refuses([
    [
      'an unknown name in the code',
      DROP,
      'return REJECT.JOB_NOT_FOUND',
      'if job then return REJECT.NO_SUCH end\n  return REJECT.JOB_NOT_FOUND',
      [`${DROP}:11: REJECT.NO_SUCH is not in lua/lib/reject.lua`],
    ],
    [
      'an unknown name in @rejects',
      DROP,
      '-- @rejects',
      '-- @rejects NO_SUCH',
      [`${DROP}:3: @rejects names NO_SUCH, unknown to lua/lib/reject.lua`],
    ],
    [
      'one that the script returns undeclared',
      DROP,
      '-- @rejects JOB_NOT_FOUND',
      '-- @rejects',
      [`${DROP}:11: dropJob-1 can return REJECT.JOB_NOT_FOUND, its @rejects does not say so`],
    ],
    [
      'one that a lib returns undeclared',
      TAKE,
      '-- @rejects LOCK_LOST\n',
      '',
      [`${LOCK}:8: takeJob-3 can return REJECT.LOCK_LOST, its @rejects does not say so`],
    ],
    [
      'one that is declared and never returned',
      TAKE,
      '-- @rejects LOCK_LOST',
      '-- @rejects LOCK_LOST JOB_NOT_FOUND',
      [`${TAKE}:3: @rejects names JOB_NOT_FOUND, but nothing here returns it`],
    ],
    [
      'REJECT by a computed name',
      DROP,
      'REJECT.JOB_NOT_FOUND',
      'REJECT[token] or REJECT.JOB_NOT_FOUND',
      [`${DROP}:11: REJECT is used by a written name: REJECT.NAME`],
    ],
    [
      'no table REJECT',
      REJECT,
      'local REJECT = {\n  JOB_NOT_FOUND = -1, -- no such job\n  LOCK_LOST = -2,\n}',
      'local REJECT = nil',
      [
        `${LOCK}:8: REJECT.LOCK_LOST is not in lua/lib/reject.lua`,
        `${REJECT}:1: local REJECT = { NAME = code, … } is not here`,
        `${DROP}:3: @rejects names JOB_NOT_FOUND, unknown to lua/lib/reject.lua`,
        `${DROP}:3: @rejects names LOCK_LOST, unknown to lua/lib/reject.lua`,
        `${DROP}:11: REJECT.JOB_NOT_FOUND is not in lua/lib/reject.lua`,
        `${DROP}:14: REJECT.LOCK_LOST is not in lua/lib/reject.lua`,
        `${TAKE}:3: @rejects names LOCK_LOST, unknown to lua/lib/reject.lua`,
      ],
    ],
    [
      'a name twice in @rejects',
      DROP,
      '-- @rejects',
      '-- @rejects LOCK_LOST',
      [`${DROP}:3: @rejects names LOCK_LOST twice`],
    ],
    [
      'two names of one code',
      REJECT,
      'LOCK_LOST = -2',
      'LOCK_LOST = -2, OTHER = -2',
      [`${REJECT}:4: OTHER and LOCK_LOST have the same code -2`],
    ],
    [
      'a code that is no number',
      REJECT,
      'LOCK_LOST = -2',
      "LOCK_LOST = -2, OTHER = 'x'",
      [`${REJECT}:4: REJECT holds only NAME = code, the code a number`],
    ],
  ]);
});
