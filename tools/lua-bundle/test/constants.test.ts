import { describe, expect, test } from 'vitest';
import { isKept, made } from './in-text.js';

const FIELD = "local FIELD = {\n  made = 'atm',\n  ['text'] = 'x', -- why\n}";
const TABLE = "local T = { text = 'atm', count = 3, below = -3 }";

describe('a table of constants', () => {
  test('goes, and its literals stand where they are read', () => {
    expect(made(`${TABLE}\nlocal function f(a)\n  return a[T.text], T.count\nend`)).toBe(
      "local function f(a)\n  return a['atm'], 3\nend\nreturn f",
    );
  });

  test('is read in the script too, and as a key', () => {
    expect(made(TABLE, 'return { [T.text] = T.below, text = T.count }')).toBe(
      "return { ['atm'] = -3, text = 3 }",
    );
  });

  test('keeps quotes and escapes', () => {
    expect(made(`local T = { a = 'it\\'s', b = "it's" }`, 'return T.a .. T.b')).toBe(
      `return 'it\\'s' .. "it's"`,
    );
  });

  test('may hold another constant', () => {
    expect(made('local N = 5\nlocal T = { n = N }', 'return T.n')).toBe('return 5');
  });

  test('of which nothing is used goes as well', () => {
    expect(made('local T = { n = 1 } -- a remark', 'return 1')).toBe('return 1');
  });

  test.each([
    ['is written', TABLE, 'T.text = 1\nreturn 1'],
    ['is written among others', TABLE, 'local a\na, T.text = 1, 2\nreturn 1'],
    ['gets a function', `${TABLE}\nfunction T.f() end`, 'return T.f'],
    ['gets a method', `${TABLE}\nfunction T:f() end`, 'return T.f'],
    ['gets a field from a lib', `${TABLE}\nT.more = 1`, 'return T.more'],
    ['is assigned', TABLE, 'T = {}\nreturn T.text'],
    ['is passed on whole', TABLE, 'return f(T)'],
    ['has its length taken', TABLE, 'return #T'],
    ['is read by a computed index', TABLE, 'return T[x]'],
    ['is read by an index in quotes', TABLE, "return T['text']"],
    ['is asked for an unknown key', TABLE, 'return T.other'],
    ['has a method called', TABLE, 'return T:text()'],
    ['has a member called', TABLE, 'return T.text()'],
    ['has a member called with a text', TABLE, "return T.text 'a'"],
    ['has a method of a member called', TABLE, 'return T.text:upper()'],
    ['has a member looked into', TABLE, 'return T.text[1]'],
    ['holds what is no literal', 'local T = { a = {} }', 'return T.a'],
    ['holds a call', 'local T = { a = f() }', 'return T.a'],
    ['holds an item without a name', "local T = { 'a' }", 'return T.a'],
    ['holds a key in brackets', FIELD, 'return FIELD.made'],
    ['holds a name twice', 'local T = { a = 1, a = 2 }', 'return T.a'],
    ['holds a long text', 'local T = { a = [[b]] }', 'return t[T.a]'],
    ['is one of several names', 'local T, U = { a = 1 }, 2', 'return T.a'],
  ])('stays where it %s', (_, libs, body) => expect(isKept(libs, body)).toBe(true));

  test('stays where it shares its line', () => {
    expect(isKept('local T = { a = 1 } local U = {}', 'return T.a, U')).toBe(true);
  });

  test('is another one than a local, a parameter or a loop of that name', () => {
    const libs = `${TABLE}
local function f(T)
  return T.text
end
local function g()
  local T = T.count
  for T = 1, 2 do f(T.text) end
  return T.text
end`;
    expect(made(libs, 'return g')).toBe(`local function f(T)
  return T.text
end
local function g()
  local T = 3
  for T = 1, 2 do f(T.text) end
  return T.text
end
return g`);
  });

  test('stays in a script: its words and lines are its own', () => {
    expect(made('', "local T = { text = 'a' }\nreturn T.text")).toBe(
      "local T = { text = 'a' }\nreturn T.text",
    );
  });

  test('of a script hides that of a lib from where it begins', () => {
    expect(made(TABLE, "local a = T.text\nlocal T = { text = 'b' }\nreturn a .. T.text")).toBe(
      "local a = 'atm'\nlocal T = { text = 'b' }\nreturn a .. T.text",
    );
  });
});

describe('a scalar', () => {
  test('stands where it is used, in brackets where its sign or its dot would run into another', () => {
    const libs = "local LOW = -3\nlocal HIGH = 7\nlocal HALF = .5\nlocal NAME = 'n'";
    const body = `return x-LOW, x - HIGH, -LOW, LOW^2, LOW == x, LOW..NAME..HIGH..HALF, #NAME, not LOW, f(LOW), t[LOW]`;
    expect(made(libs, body)).toBe(
      `return x-(-3), x - 7, -(-3), (-3)^2, -3 == x, (-3)..'n'..(7)..(.5), #'n', not -3, f(-3), t[-3]`,
    );
  });

  test('limits a loop in a function of a function', () => {
    const libs = 'local MAX = 200\nlocal function f()\n  return function()\n';
    const body = '    for n = 1, MAX do g(n) end\n  end\nend';
    expect(made(libs + body)).toBe(
      `local function f()\n  return function()\n    for n = 1, 200 do g(n) end\n  end\nend\nreturn f`,
    );
  });

  test.each([
    ['is assigned', 'local N = 1', 'N = 2\nreturn N'],
    ['is assigned in a function', 'local N = 1\nlocal function f()\n  N = N + 1\nend', 'return f'],
    ['is made a function', 'local N = 1', 'function N() end\nreturn N'],
    ['is looked into', "local N = 'a'", 'return N:upper()'],
    ['is called', "local N = 'a'", 'return N()'],
    ['is no literal', 'local N = 2 * 3', 'return N'],
    ['has no value', 'local N', 'return N'],
    ['is a truth', 'local N = true', 'return N'],
    ['is a long text', 'local N = [[a]]', 'return t[N]'],
  ])('stays where it %s', (_, libs, body) => expect(isKept(libs, body)).toBe(true));
});
