import { describe, expect, it } from 'vitest';
import { pretty, visible } from '../src/page/format.js';

const TEXTS = [
  '{"a":[1,{"b":"x, y: {\\"z\\"}"}],"c":{},"d":[],"e":null}',
  '"text"',
  '7',
  '[]',
  '[[],[1]]',
];

describe('a payload', () => {
  it.each(TEXTS)('%s has the indents of JSON', (text) => {
    expect(pretty(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
  });

  it('keeps the digits of its numbers, its escapes and keys that stand twice', () => {
    const text = '{"n":12345678901234567890,"f":1e400,"z":1.0,"s":"\\u0000","n":2}';
    expect(pretty(text).replaceAll(/\n */g, '').replaceAll(': ', ':')).toBe(text);
  });

  it('that is no JSON, or all brackets, is shown as it is', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    for (const text of ['hello {', '{"a":', deep]) expect(pretty(text)).toBe(text);
  });
});

it('a name cannot turn or hide its letters', () => {
  expect(visible('\u202egnp.exe\u200b\u0000')).toBe('\\u202egnp.exe\\u200b\\u0000');
  expect(visible('größe 😀\n <b>')).toBe('größe 😀\n <b>');
});
