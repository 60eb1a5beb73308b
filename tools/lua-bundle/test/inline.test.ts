import { describe, expect, test } from 'vitest';
import { isKept, made } from './in-text.js';

const JOB = 'local function jobKey(prefix, id)\n  return prefix .. id\nend';
const LOCK = "local function lockKey(job)\n  return job .. ':lock'\nend";
const TWICE = "local function twice(a)\n  return a .. ':' .. a\nend";
const TURNED = "local function turned(a, b)\n  return b .. ':' .. a\nend";
const BOTH = `${JOB}\n${LOCK}`;

/** What stands for an expression in a script. */
function inPlaceOf(libs: string, expression: string): string | undefined {
  return made(libs, `return ${expression}`).split('\n').at(-1)?.replace('return ', '');
}

describe('a function that joins texts', () => {
  test.each([
    ['lockKey(job)', "job .. ':lock'"],
    ['lockKey(queue.job)', "queue.job .. ':lock'"],
    ['lockKey(keys[1])', "keys[1] .. ':lock'"],
    ['lockKey(t[i + 1].job)', "t[i + 1].job .. ':lock'"],
    ["lockKey('it\\'s')", "'it\\'s' .. ':lock'"],
    ['lockKey([[a]])', "([[a]]) .. ':lock'"],
    ['lockKey(5)', "(5) .. ':lock'"],
    ['lockKey(-5)', "(-5) .. ':lock'"],
    ['lockKey(a or b)', "(a or b) .. ':lock'"],
    ['lockKey(a + 1)', "(a + 1) .. ':lock'"],
    ['lockKey((a or b))', "(a or b) .. ':lock'"],
    ["lockKey(a .. 'b')", "a .. 'b' .. ':lock'"],
    ['lockKey(find(a))', "find(a) .. ':lock'"],
    ['lockKey(a:find())', "a:find() .. ':lock'"],
    ['jobKey(first(), second())', 'first() .. second()'],
    ['jobKey(prefix, values[4] or x)', 'prefix .. (values[4] or x)'],
    ['lockKey(jobKey(prefix, id))', "prefix .. id .. ':lock'"],
    ['lockKey(lockKey(jobKey(jobKey(a, b), c)))', "a .. b .. c .. ':lock' .. ':lock'"],
    ['find(lockKey(find(jobKey(a, b))))', "find(find(a .. b) .. ':lock')"],
  ])('%s', (call, text) => expect(inPlaceOf(BOTH, call)).toBe(text));

  test.each([
    ['#lockKey(job)', "#(job .. ':lock')"],
    ['lockKey(job) == x', "(job .. ':lock') == x"],
    ['lockKey(a) + lockKey(b)', "(a .. ':lock') + (b .. ':lock')"],
    ['x and lockKey(job) or y', "x and (job .. ':lock') or y"],
    ['not lockKey(job)', "not (job .. ':lock')"],
    ["lockKey(job) .. 'x'", "job .. ':lock' .. 'x'"],
    ["'x' .. lockKey(job)", "'x' .. job .. ':lock'"],
    [
      '{ lockKey(a), [lockKey(b)] = lockKey(c) }',
      "{ a .. ':lock', [b .. ':lock'] = c .. ':lock' }",
    ],
    ['{ key = lockKey(a) }', "{ key = a .. ':lock' }"],
    ['t[lockKey(a)]', "t[a .. ':lock']"],
    ['f(lockKey(a), b)', "f(a .. ':lock', b)"],
  ])('is put in brackets where something binds closer: %s', (whole, text) =>
    expect(inPlaceOf(LOCK, whole)).toBe(text),
  );

  test('goes when all its calls are gone', () => {
    expect(made(BOTH, 'return lockKey(jobKey(prefix, id))')).toBe("return prefix .. id .. ':lock'");
  });

  test('stands in statements of every kind', () => {
    const body = `local a, b = lockKey(x), 1
a = lockKey(a)
if lockKey(a) then f(lockKey(a)) end
for n = 1, #lockKey(a) do t[lockKey(n)] = lockKey(b) end
return function() return lockKey(b) end`;
    expect(made(LOCK, body)).toBe(`local a, b = x .. ':lock', 1
a = a .. ':lock'
if (a .. ':lock') then f(a .. ':lock') end
for n = 1, #(a .. ':lock') do t[n .. ':lock'] = b .. ':lock' end
return function() return b .. ':lock' end`);
  });

  test('may call another one, and hold a constant', () => {
    const libs = `local TAIL = ':l'\n${JOB}
local function lockOf(prefix, id)
  return jobKey(prefix, id) .. TAIL
end`;
    expect(inPlaceOf(libs, 'lockOf(a, b)')).toBe("a .. b .. ':l'");
  });

  test('uses a name or a literal as often and in what order it likes', () => {
    expect(inPlaceOf(TWICE, 'twice(x), twice(3)')).toBe("x .. ':' .. x, (3) .. ':' .. (3)");
    expect(inPlaceOf(TURNED, 'turned(x.y, z)')).toBe("z .. ':' .. x.y");
  });

  test.each([
    ['is passed on', LOCK, 'return f(lockKey)'],
    ['is called with too few', JOB, 'return jobKey(a)'],
    ['is called with too many', LOCK, 'return lockKey(a, b)'],
    ['is called with what may be many', LOCK, 'return lockKey(...)'],
    ['is called without brackets', LOCK, "return lockKey 'a'"],
    ['is called with a table', LOCK, 'return lockKey {}'],
    ['stands alone', LOCK, 'lockKey(a)\nreturn 1'],
    ['is looked into in brackets', LOCK, 'return (lockKey(a)):len()'],
    ['is looked into', LOCK, 'return lockKey(a):len()'],
    ['is assigned', LOCK, 'lockKey = f\nreturn lockKey(a)'],
    ['is defined again', LOCK, 'function lockKey() end\nreturn lockKey(a)'],
    ['would call twice', TWICE, 'return twice(f())'],
    ['would look twice', TWICE, 'return twice(a.b)'],
    ['would call in another order', TURNED, 'return turned(f(), g())'],
    ['would look before a call', TURNED, 'return turned(f(), x.y)'],
  ])('stays where it %s, for all its calls', (_, libs, body) =>
    expect(isKept(libs, `local key = f\n${body}`)).toBe(true),
  );

  test.each([
    ['does not use a parameter', "local function f(a, b)\n  return a .. 'x'\nend"],
    ['uses another name', 'local OTHER = {}\nlocal function f(a)\n  return a .. OTHER\nend'],
    ['calls', "local function f(a)\n  return g(a) .. 'x'\nend"],
    ['calculates', 'local function f(a)\n  return a + 1\nend'],
    ['does something first', "local function f(a)\n  g()\n  return a .. 'x'\nend"],
    ['answers twice', "local function f(a)\n  return a .. 'x', 1\nend"],
    ['answers nothing', 'local function f(a)\n  return\nend'],
    ['takes what comes', "local function f(a, ...)\n  return a .. 'x'\nend"],
    ['has a parameter twice', 'local function f(a, a)\n  return a .. a\nend'],
    ['calls itself', 'local function f(a)\n  return f(a) .. a\nend'],
  ])('is not one that %s', (_, libs) => expect(isKept(libs, 'return f(1, 2), f(1)')).toBe(true));

  test('is another one than a local or a parameter of that name', () => {
    const body = `local function other(lockKey)
  return lockKey(1)
end
return other(lockKey(a))`;
    expect(made(LOCK, body)).toBe(body.replace('lockKey(a)', "a .. ':lock'"));
  });

  test('of a script stays: its words and lines are its own', () => {
    expect(made('', `${LOCK}\nreturn lockKey(a)`)).toBe(`${LOCK}\nreturn lockKey(a)`);
  });
});
