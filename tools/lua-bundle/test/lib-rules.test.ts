import { describe, expect, test } from 'vitest';
import { DEEPEST_CHAIN } from '../src/includes.js';
import { edited, GOOD, problemsOf } from './fixture.js';

const TAKE = 'lua/transitions/takeJob-3.lua';
const DROP = 'lua/transitions/dropJob-1.lua';
const LOCK = 'lua/lib/lock.lua';
const KEYS = 'lua/lib/keys.lua';
const REJECT = 'lua/lib/reject.lua';

const text = (path: string): string => GOOD[path] ?? '';

describe('includes', () => {
  test('of an unknown lib', () => {
    expect(problemsOf(edited(DROP, '-- @include reject', '-- @include reject nothing'))).toEqual([
      `${DROP}:2: includes nothing: there is no lua/lib/nothing.lua`,
    ]);
  });
  test('in a circle', () => {
    const back =
      '--- Derived keys.\n-- @include lock\nlocal function back() return lockRejection end\n';
    const keys = text(KEYS)
      .replace('--- Derived keys.\n', back)
      .replace("job .. ':", "back() .. ':");
    expect(problemsOf({ ...GOOD, [KEYS]: keys })).toContain(
      `${KEYS}:2: the includes go in a circle: lock -> keys -> lock`,
    );
  });
  test('nested too deep', () => {
    // keys -> deep3 -> deep4 -> …, one lib longer than lock -> keys leaves room for.
    const names = Array.from({ length: DEEPEST_CHAIN - 1 }, (_, at) => `deep${at + 3}`);
    const deep = names.map((name, at) => {
      const next = names[at + 1];
      const include = next ? `-- @include ${next}\n` : '';
      const value = next ? `${next}()` : "':lock'";
      const lib = `${include}local function ${name}()\n  return ${value}\nend\n`;
      return [`lua/lib/${name}.lua`, lib] as const;
    });
    const keys = text(KEYS)
      .replace('--- Derived keys.', '--- Derived keys.\n-- @include deep3')
      .replace("':lock'", 'deep3()');
    const last = names.at(-2) ? `lua/lib/${names.at(-2)}.lua:1` : `${KEYS}:2`;
    const chain = ['lock', 'keys', ...names].join(' -> ');
    expect(problemsOf({ ...GOOD, [KEYS]: keys, ...Object.fromEntries(deep) })).toEqual([
      `${last}: includes nest more than ${DEEPEST_CHAIN} deep: ${chain}`,
    ]);
  });
  test('of which nothing is used', () => {
    expect(problemsOf(edited(TAKE, '@include lock keys', '@include lock keys reject'))).toEqual([
      `${TAKE}:2: includes reject but uses nothing of it`,
    ]);
  });
  test('twice', () => {
    expect(problemsOf(edited(TAKE, '@include lock keys', '@include lock keys keys'))).toEqual([
      `${TAKE}:2: @include names keys twice`,
    ]);
  });
  test('that are missing', () => {
    expect(problemsOf(edited(LOCK, '@include keys reject', '@include keys'))).toContain(
      `${LOCK}:8: REJECT is in lua/lib/reject.lua: add reject to @include`,
    );
  });
  test('below the top', () => {
    expect(problemsOf(edited(DROP, 'return 1', '-- @include keys\nreturn 1'))).toEqual([
      `${DROP}:18: @include belongs at the top`,
    ]);
  });
  test('under an unknown tag', () => {
    expect(problemsOf(edited(DROP, '-- @include', '-- @uses x\n-- @include'))).toEqual([
      `${DROP}:2: unknown tag @uses: use @include, @rejects, @usual or @returns`,
    ]);
  });
});

describe('a lib', () => {
  test('that one script uses', () => {
    const { [DROP]: _, ...files } = GOOD;
    expect(problemsOf(files)).toEqual([
      `${LOCK}:1: a lib that one script uses is not a lib: move it into ${TAKE}`,
      `${REJECT}:1: a lib that one script uses is not a lib: move it into ${TAKE}`,
    ]);
  });
  test('that no script uses', () => {
    const left = '--- Left.\nlocal function left() end\n';
    expect(problemsOf({ ...GOOD, 'lua/lib/left.lua': left })).toEqual([
      'lua/lib/left.lua:1: no script includes this lib',
    ]);
  });
  test('with a function that no script comes to', () => {
    const left = 'local function left()\n  return left()\nend\n';
    expect(problemsOf({ ...GOOD, [KEYS]: `${text(KEYS)}${left}` })).toEqual([
      `${KEYS}:7: no script comes to left`,
    ]);
  });
  test('that runs', () => {
    expect(problemsOf({ ...GOOD, [KEYS]: `${text(KEYS)}redis.call('PING')\n` })).toEqual([
      `${KEYS}:7: a lib only defines: \`local function x\` or \`local X = …\` here`,
    ]);
  });
  test('that defines a name twice', () => {
    const again = 'local lockKey = lockKey\n';
    expect(problemsOf({ ...GOOD, [KEYS]: `${text(KEYS)}${again}` })).toEqual([
      `${KEYS}:7: lockKey is defined twice`,
    ]);
  });
  test('that defines a name of another', () => {
    const twin = 'local function lockKey(job)\n  return job\nend\n';
    expect(problemsOf({ ...GOOD, [REJECT]: `${text(REJECT)}${twin}` })).toContain(
      `${REJECT}:6: lockKey is defined in ${KEYS} too`,
    );
  });
});

describe('a file', () => {
  test('that begins with #!lua', () => {
    expect(problemsOf({ ...GOOD, [DROP]: `#!lua\n${text(DROP)}` })).toContain(
      `${DROP}:1: a #! line is unknown to Redis 6.2: leave it out`,
    );
  });
  test('with CR line ends', () => {
    expect(problemsOf({ ...GOOD, [DROP]: text(DROP).replace(/\n/g, '\r\n') })).toContain(
      `${DROP}:1: has CR line ends: use LF, the SHA depends on it`,
    );
  });
  test('that does not parse', () => {
    expect(problemsOf(edited(DROP, 'return 1', 'return return'))).toContainEqual(
      expect.stringMatching(`^${DROP}:18: syntax: `),
    );
  });
  test('without a doc comment', () => {
    expect(problemsOf(edited(DROP, '--- Drops a job.\n', ''))).toEqual([
      `${DROP}:1: says nothing of itself: begin with ---`,
    ]);
  });
  test('whose name has no key count', () => {
    expect(problemsOf({ ...GOOD, 'lua/queries/other.lua': 'return 1\n' })).toEqual([
      'lua/queries/other.lua:1: the name does not follow ^([a-z][A-Za-z0-9]*)-(\\d+)\\.lua$',
    ]);
  });
  test('whose name another has', () => {
    const path = 'lua/transitions/getLock-1.lua';
    expect(problemsOf({ ...GOOD, [path]: text('lua/queries/getLock-1.lua') })).toEqual([
      `lua/queries/getLock-1.lua:1: ${path} has the name getLock already`,
    ]);
  });
});

describe('more than Lua can compile', () => {
  const many = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, at) => line(at)).join('\n');
  test('200 locals in the file', () => {
    const locals = many(201, (n) => `local v${n} = 1`);
    expect(problemsOf(edited(DROP, 'return 1', `${locals}\nreturn 1`))).toEqual([
      'lua/dist/dropJob-1.lua:1: 206 locals at once, Lua allows 200 per function',
    ]);
  });
  test('60 outer locals in a function', () => {
    const locals = many(61, (n) => `local v${n} = 1`);
    const sum = many(61, (n) => `n = n + v${n}`);
    const code = `${locals}\nlocal function f(n)\n${sum}\nreturn n end\nreturn f(0)`;
    expect(problemsOf(edited(DROP, 'return 1', code))).toEqual([
      expect.stringMatching(
        /^lua\/dist\/dropJob-1\.lua:\d+: 61 outer locals in one function, Lua allows 60$/,
      ),
    ]);
  });
});
