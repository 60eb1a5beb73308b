import { describe } from 'vitest';
import { refuses } from './plants.js';

const TAKE = 'lua/transitions/takeJob-3.lua';
const DROP = 'lua/transitions/dropJob-1.lua';
const LOCK = 'lua/lib/lock.lua';
const QUERY = 'lua/queries/getLock-1.lua';

describe('numbering', () => {
  refuses([
    ['a hole in KEYS', TAKE, 'KEYS[3]', 'KEYS[4]', [`${TAKE}:10: KEYS[3] is not declared: a hole`]],
    [
      'a double in KEYS',
      TAKE,
      'active = KEYS[2]',
      'active = KEYS[1]',
      [
        `${TAKE}:8: KEYS[1] is declared twice: wait, active`,
        `${TAKE}:10: KEYS[2] is not declared: a hole`,
      ],
    ],
    ['a hole in ARGV', DROP, 'ARGV[2]', 'ARGV[3]', [`${DROP}:7: ARGV[2] is not declared: a hole`]],
    [
      'a double in ARGV',
      DROP,
      'ARGV[2]',
      'ARGV[1]',
      [`${DROP}:7: ARGV[1] is declared twice: token, force`],
    ],
    [
      'a position 0',
      DROP,
      'ARGV[1]',
      'ARGV[0]',
      [
        `${DROP}:6: ARGV[0] is not a position: they start at 1`,
        `${DROP}:7: ARGV[1] is not declared: a hole`,
      ],
    ],
    [
      'a key more than the file name says',
      DROP,
      'local token',
      'local other = KEYS[2] -- list\nlocal token',
      [`${DROP}:6: declares 2 keys, but the file's name says 1`],
    ],
    [
      'a rest that is not the last argument',
      DROP,
      "local token = ARGV[1] -- string\nlocal force = ARGV[2] == '1' -- flag",
      'local token = {unpack(ARGV, 1)} -- strings...\nlocal force = ARGV[2] -- flag',
      [`${DROP}:6: token (strings...) must come last`],
    ],
    [
      'two keys of one name',
      TAKE,
      'active = KEYS[2]',
      'wait = KEYS[2]',
      [`${TAKE}:8: the name wait is declared twice`],
    ],
  ]);
});

describe('declaration block', () => {
  const neither = 'is neither a key nor an argument: take KEYS[n] or ARGV[n], n a number';
  refuses([
    [
      'no end',
      QUERY,
      '-- end of declarations',
      '',
      [
        `${QUERY}:1: the declaration block has no end: write -- end of declarations`,
        `${QUERY}:4: KEYS stands outside the declaration block: name it there`,
      ],
    ],
    [
      'KEYS below the block',
      QUERY,
      'lockKey(job)',
      'lockKey(KEYS[1])',
      [`${QUERY}:7: KEYS stands outside the declaration block: name it there`],
    ],
    [
      'ARGV below the block',
      TAKE,
      'return jobId',
      'return ARGV[1]',
      [`${TAKE}:29: ARGV stands outside the declaration block: name it there`],
    ],
    [
      'ARGV in a lib',
      LOCK,
      'owner ~= token',
      'owner ~= ARGV[1]',
      [`${LOCK}:7: ARGV stands outside the declaration block: name it there`],
    ],
    [
      'a local of neither',
      DROP,
      'ARGV[1]',
      '7',
      [`${DROP}:6: token ${neither}`, `${DROP}:7: ARGV[1] is not declared: a hole`],
    ],
    [
      'a computed position',
      DROP,
      'KEYS[1]',
      'KEYS[#KEYS]',
      [`${DROP}:1: declares 0 keys, but the file's name says 1`, `${DROP}:5: job ${neither}`],
    ],
    [
      'two positions in one local',
      DROP,
      "ARGV[2] == '1'",
      'ARGV[2] == ARGV[3]',
      [`${DROP}:7: force takes more than one position`],
    ],
    [
      'a key that is changed',
      QUERY,
      'KEYS[1]',
      "KEYS[1] .. ':x'",
      [
        `${QUERY}:1: declares 0 keys, but the file's name says 1`,
        `${QUERY}:4: key job is to be KEYS[n], unchanged`,
      ],
    ],
    [
      'another statement',
      QUERY,
      '-- end',
      "redis.call('GET', job)\n-- end",
      [`${QUERY}:5: the declaration block holds only \`local NAME = …\` of one key or argument`],
    ],
    [
      'a table with another entry',
      TAKE,
      'active = KEYS[2]',
      "active = KEYS[2], name = 'x'",
      [`${TAKE}:8: a table of keys holds only \`name = KEYS[n]\`, n a number`],
    ],
    [
      'an argument without a type',
      DROP,
      ' -- flag',
      '',
      [`${DROP}:7: argument force has no type: write one in a comment beside it`],
    ],
    [
      'an unknown type',
      DROP,
      '-- flag',
      '-- boolean',
      [
        `${DROP}:7: argument force has the unknown type boolean: use one of string, bytes, text, json, int, ms, flag, pack, strings...`,
      ],
    ],
    [
      'a pack without its type',
      DROP,
      '-- flag',
      '-- pack',
      [`${DROP}:7: argument force is a pack without the TypeScript type of its value`],
    ],
    [
      'a pack that stays open',
      DROP,
      '-- flag',
      '-- pack { a: number',
      [`${DROP}:7: argument force has a pack type whose brackets do not close`],
    ],
    [
      'a rest type on one position',
      DROP,
      '-- flag',
      '-- strings...',
      [`${DROP}:7: argument force: strings... and {unpack(ARGV, n)} go together`],
    ],
  ]);
});
